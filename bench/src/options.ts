import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { BadUsage, choices, CommandLine, decimal, integer, text } from '@evenkeel/platform/command-line';
import { START } from './processes/scene';

export const PARTS = ['engine', '402', 'paid', 'chain', 'accounts', 'reporting'] as const;
export type Part = (typeof PARTS)[number];

export const BENCH = new CommandLine({
  call: 'npm run bench',
  about: `Measures the scoring engine; the paid call and the 402 of the whole product and of the gateway alone beside the x402 middleware
for Express; paid calls with a facilitator that takes 2 s to settle; what people ask of accounts, and operators of reporting.
Everything runs on this machine, on loopback, and is stopped again. About fifteen minutes; bench/README.md says how to read it.`,
  options: {
    only: choices({ help: `${PARTS.join(', ')}; may be given more than once`, placeholder: 'part', of: PARTS }),
    rounds: integer({ help: 'of 402, paid and the reads of reporting', from: 1, to: 50, fallback: 5 }),
    seconds: decimal({ help: 'of each seller in each round', placeholder: 's', from: 0.2, to: 60, fallback: 2 }),
    payments: integer({ help: 'in the database of reporting', from: 10_000, to: 100_000_000, fallback: 1_000_000 }),
    beside: text({ help: 'another checkout, installed, whose product takes turns with ours', placeholder: 'folder' }),
  },
  ends: 'Exit code: 0, or 1 when a goal was missed by more than a tenth or a part failed.',
  read: ({ only = PARTS, beside, ...rest }) => {
    const checkout = beside === undefined ? undefined : resolve(beside);
    if (checkout !== undefined && !existsSync(resolve(checkout, START))) {
      throw new BadUsage(`--beside ${beside}: there is no ${START}`);
    }
    return { ...rest, parts: only as readonly Part[], beside: checkout };
  },
});

export type BenchOptions = Exclude<ReturnType<typeof BENCH.parse>, 'help'>;
