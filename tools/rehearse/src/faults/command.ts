import { BadUsage, choices, CommandLine, flag, integer } from '@evenkeel/platform/command-line';
import { THINGS, type Thing } from './lines';

export type Wanted =
  | { action: 'each'; rate: number; things: readonly Thing[] }
  | { action: 'random'; rate: number; minutes: number; seed: number };

export const FAULTS = new CommandLine({
  call: 'npm run faults',
  about: `Starts a cluster of its own, sends mixed requests to it, and lets each thing below the services fail: nobody listens (20 s),
everything hangs (20 s), every answer comes 500 ms later (10 s). Who does not need the thing must be answered as ever; who does
must be told so soon, and be served again within 5 s of the end; no process may end; no effect may be lost or double.`,
  usage: [
    'npm run faults                                       each thing in turn: 14 minutes',
    'npm run faults -- --only redis --only stripe         these alone',
    'npm run faults -- --random --minutes 15 --seed 7     faults and kills at random; then the books are compared',
  ],
  parts: { Things: THINGS.join('\n') },
  options: {
    only: choices({ help: 'of the things; may be given more than once', of: THINGS }),
    random: flag('faults of all of them, with SIGKILL of processes, at times that the seed decides'),
    minutes: integer({ help: 'of --random', from: 1, to: 600, fallback: 15 }),
    seed: integer({ help: 'of --random', from: 0, to: 2 ** 31 - 1, fallback: 1 }),
    rate: integer({ help: 'requests a second', from: 10, to: 1_000, fallback: 50 }),
  },
  environment: {
    PORT: 'of the edge, on 127.0.0.1 (8080)',
    DATA_DIR: 'where the output of all processes is (.data)',
  },
  ends: 'Ends with 1 and a sentence for each thing that is wrong.',
  read: ({ only, random, minutes, seed, rate }): Wanted => {
    if (random && only) throw new BadUsage('--random takes all things: leave out --only');
    return random ? { action: 'random', rate, minutes, seed } : { action: 'each', rate, things: only ?? THINGS };
  },
});
