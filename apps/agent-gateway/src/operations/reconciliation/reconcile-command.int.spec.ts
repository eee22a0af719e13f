import { createLogger, NestPinoLogger } from '@evenkeel/platform/observability';
import { eventually } from '@evenkeel/platform/testing';
import { Logger } from '@nestjs/common';
import type { FindPayments } from '../../ledger/find-payments';
import { aGateway, startGateway } from '../../gateway.fixture';
import { noon, terms } from '../../payments/payment.fixture';
import type { Chain } from '../../recovery/chain';
import { CompareWithChain } from './compare-with-chain';
import type { LedgerPages } from './ledger-pages';
import { ReconciliationJob } from './reconciliation.job';
import { ReconciliationModule } from './reconciliation.module';
import { run } from './run';

const settings = { RECONCILE_LOOK_BACK_HOURS: '1' };
const gateway = aGateway({ silentAtOnce: true, chain: true, settings });

describe('the blocks that are asked for', () => {
  const BLOCK_MS = 2_000;
  const at = (block: bigint) => new Date(noon.getTime() + Number(block) * BLOCK_MS);

  /** A node with 10,000 blocks since noon that answers for at most so many at once. @returns the ranges that it answered */
  async function asked(most: bigint, until: bigint, lateAfter = Infinity) {
    const ranges: [from: bigint, to: bigint][] = [];
    const chain = {
      head: async () => ({ number: 10_000n, at: at(10_000n) }),
      block: async (number: bigint) => ({ number, at: at(number) }),
      firstBlockSince: async (since: Date) => BigInt(Math.ceil((since.getTime() - noon.getTime()) / BLOCK_MS)),
      transfersTo: async (...[, , { from, to }]: Parameters<Chain['transfersTo']>): Promise<[]> => {
        if (to - from >= most) throw new Error('query returned more than 10000 results');
        ranges.push([from, to]);
        return [];
      },
    };
    const ledger = { between: async function* () {} } as unknown as LedgerPages;
    const compare = new CompareWithChain(terms, ledger, {} as FindPayments, chain as unknown as Chain);
    const isLate = () => ranges.length >= lateAfter;
    const { comparedUntil } = await compare.execute({ since: noon, until: at(until), isLate, report: () => undefined });
    return { ranges, comparedUntil };
  }

  it('are at most 2,000 at once, each once, and those of the next run begin where the time was up', async () => {
    const [one, two, rest] = [0n, 2_000n, 4_000n].map((from) => [from, from + 1_999n]);
    expect(await asked(2_000n, 5_000n)).toEqual({ ranges: [one, two, [rest![0], 4_999n]], comparedUntil: at(5_000n) });
    expect(await asked(2_000n, 9_000n, 2)).toEqual({ ranges: [one, two], comparedUntil: at(3_999n) });
  });

  it('are fewer where a node refuses so many, and still none is left out', async () => {
    const { ranges } = await asked(600n, 3_000n);
    expect(ranges.map(([from]) => from)).toEqual([0n, ...ranges.slice(0, -1).map(([, to]) => to + 1n)]);
    expect(ranges.at(-1)![1]).toBe(2_999n);
  });
});

async function paid(mode = 'ok') {
  const buyer = gateway.aBuyer();
  const payment = await buyer.sign();
  gateway.control({ mode, count: 1 });
  expect((await gateway.pay(payment)).status).toBe(200);
  return { ...payment, payer: buyer.wallet };
}

/** Younger payments are left to the worker. */
const compared = () => gateway.clock.advanceMs(16 * 60_000);
/** Later than all that earlier tests have left on the chain. */
async function forget(): Promise<void> {
  gateway.clock.advanceMs(2 * 3_600_000);
  await gateway.query('TRUNCATE payments, payment_answers, payment_checks, wallets, calls, outbox');
}

describe('the command', () => {
  async function command(...args: string[]) {
    const [out, err]: string[][] = [[], []];
    const since = new Date(gateway.clock.now().getTime() - 60_000).toISOString();
    compared();
    const { database, facilitator, clock } = gateway;
    const env = { DATABASE_URL: database.url, X402_PAY_TO: terms.payTo, X402_RPC_URL: facilitator.rpcUrl };
    const streams = { out: (text: string) => void out!.push(text), err: (text: string) => void err!.push(text) };
    const code = await run(['--since', since, '--until', clock.now().toISOString(), ...args], env, streams);
    return { code, out: out!.join(''), err: err!.join('') };
  }

  it('says that everything agrees; ends with 1 for a difference, and shows it', async () => {
    await forget();
    await paid();
    const { code, out, err } = await command();
    expect(out).toContain('Ledger and chain: 1 matched, 0 ours only, 0 theirs only\n  Received 0.050000 USD');
    expect([code, out.includes('Everything agrees.'), /^chain: block/m.test(err)]).toEqual([0, true, true]);

    await forget();
    const { payer, nonce } = await paid('settled-but-answer-lost');
    const hash = gateway.facilitator.ledger(nonce).settlements[0]!.transaction;
    const differing = await command();
    expect(differing.code).toBe(1);
    const shown = ['Theirs only', '0.050000 USD  settlement_pending', payer, nonce, hash, 'payment:close'];
    expect(shown.filter((text) => !differing.out.includes(text))).toEqual([]);
  });

  it.each([
    [['--until', 'yesterday'], 'It must be an instant such as'],
    [['--until', '2026-01-31T12:00'], 'It must be an instant such as'],
    [['--within', 'soon'], 'It must be an integer from 1 to 999999.'],
    [['--until', '2020-01-01'], 'Nothing to compare'],
  ])('refuses %p', async (args, message) => {
    const { code, err } = await command(...args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

it('the hourly job says in one line that everything agrees, raises an alert when it does not, and goes on after a failure', async () => {
  class Hourly {}
  const modules = [{ module: Hourly, imports: [ReconciliationModule], providers: [ReconciliationJob] }];
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) };
  const newest = (level: string) => lines.findLast((line) => line['level'] === level);
  await forget();
  const { nonce } = await paid();
  compared();
  const hurried = { ...settings, RECONCILE_EVERY_SECONDS: '1' };
  const worker = await startGateway({ besides: gateway, chain: true, modules, settings: hurried });
  Logger.overrideLogger(new NestPinoLogger(createLogger('agent-gateway-worker', { destination })));

  const agreed = { message: 'reconciled', outbox: { matched: 1 }, chain: { matched: 1, oursOnly: 0, theirsOnly: 0 } };
  await eventually(() => expect(newest('info')).toMatchObject({ ...agreed, complete: true, needPerson: 0 }));
  expect(newest('error')).toBeUndefined();

  await gateway.query('DELETE FROM outbox');
  const found = { context: 'reconciliation', outbox: { matched: 0, oursOnly: 1 }, differences: [{ nonce }] };
  const message = expect.stringContaining('npm run reconcile');
  await eventually(() => expect(newest('error')).toMatchObject({ message, ...found }));

  gateway.control({ mode: '500', on: 'rpc' });
  await eventually(() => expect(newest('warn')).toMatchObject({ message: 'the ledger could not be reconciled' }));
  gateway.control({ mode: 'ok' });
  const seen = lines.length;
  await eventually(() => expect(lines.slice(seen).map(({ level }) => level)).toContain('error'));
  await worker.close();
});
