import { createLogger, NestPinoLogger } from '@evenkeel/platform/observability';
import { eventually } from '@evenkeel/platform/testing';
import { Logger } from '@nestjs/common';
import { type Gateway, startGateway } from '../../gateway.fixture';
import { noon, terms } from '../../payments/payment.fixture';
import type { Chain } from '../../recovery/chain';
import type { Block, Transfer } from '../../recovery/chain-evidence';
import { recoveryByHand } from '../../recovery/resolve-uncertain.fixture';
import { CompareWithChain } from './compare-with-chain';
import type { LedgerPages } from './ledger-pages';
import { ReconciliationJob } from './reconciliation.job';
import { ReconciliationModule } from './reconciliation.module';
import { run } from './run';
import type { TransferFinder } from './transfer-finder';

describe('the blocks that are asked for', () => {
  const BLOCK_MS = 2_000;
  const at = (block: bigint) => new Date(noon.getTime() + Number(block) * BLOCK_MS);

  /** A node with 10,000 blocks since noon that answers for at most so many at once. */
  class StubChain {
    readonly asked: [from: bigint, to: bigint][] = [];
    constructor(private readonly most: bigint) {}
    head = async (): Promise<Block> => ({ number: 10_000n, at: at(10_000n) });
    block = async (number: bigint): Promise<Block> => ({ number, at: at(number) });
    firstBlockSince = async (since: Date): Promise<bigint | null> =>
      BigInt(Math.ceil((since.getTime() - noon.getTime()) / BLOCK_MS));
    async transfersTo(_to: string, _asset: string, { from, to }: { from: bigint; to: bigint }): Promise<Transfer[]> {
      if (to - from >= this.most) throw new Error('query returned more than 10000 results');
      this.asked.push([from, to]);
      return [];
    }
  }

  async function* noPayments(): AsyncGenerator<never[]> {}

  function compare(log: StubChain, until: Date, isLate = () => false) {
    const ledger = { between: noPayments } as unknown as LedgerPages;
    const stretch = { since: noon, until, isLate, report: () => undefined };
    return new CompareWithChain(terms, ledger, {} as TransferFinder, log as unknown as Chain).execute(stretch);
  }

  it('asks for at most 2,000 blocks at once, each block once', async () => {
    const log = new StubChain(2_000n);
    const { comparedUntil } = await compare(log, at(5_000n));
    expect(log.asked).toEqual([
      [0n, 1_999n],
      [2_000n, 3_999n],
      [4_000n, 4_999n],
    ]);
    expect(comparedUntil).toEqual(at(5_000n));
  });

  it('asks a node that refuses so many for fewer, and still leaves none out', async () => {
    const log = new StubChain(600n);
    await compare(log, at(3_000n));
    let next = 0n;
    for (const [from, to] of log.asked) {
      expect(from).toBe(next);
      next = to + 1n;
    }
    expect(next).toBe(3_000n);
  });

  it('stops when the time is up, and goes on from where it came to', async () => {
    const log = new StubChain(2_000n);
    const { comparedUntil } = await compare(log, at(9_000n), () => log.asked.length === 2);
    expect(comparedUntil).toEqual(at(3_999n));
    expect(log.asked).toHaveLength(2);
  });
});

/** Younger payments are left to the worker. */
const COMPARED_AFTER_MS = 16 * 60_000;

const settings = { RECONCILE_LOOK_BACK_HOURS: '1' };
let gateway: Gateway;
beforeAll(async () => {
  const modules = [...recoveryByHand!, ReconciliationModule];
  gateway = await startGateway({ silentAtOnce: true, chain: true, modules, settings });
});
afterAll(() => gateway.close());
afterEach(() => gateway.facilitator.control({ mode: 'ok' }));

/** Later than all that earlier tests have left on the chain. */
async function forget(): Promise<void> {
  gateway.clock.advanceMs(2 * 3_600_000);
  await gateway.ledger.dataSource.query('TRUNCATE payments, payment_answers, payment_checks, wallets, calls, outbox');
}

async function paid(mode = 'ok') {
  const buyer = gateway.aBuyer();
  const payment = await buyer.sign();
  gateway.facilitator.control({ mode, count: 1 });
  expect((await gateway.pay(payment)).status).toBe(200);
  return { ...payment, payer: buyer.wallet };
}

const hashOf = (nonce: string) => gateway.facilitator.ledger(nonce).settlements[0]!.transaction;

describe('the command', () => {
  beforeEach(forget);

  async function command(...args: string[]) {
    const [out, err]: [string[], string[]] = [[], []];
    const since = new Date(gateway.clock.now().getTime() - 60_000).toISOString();
    gateway.clock.advanceMs(COMPARED_AFTER_MS);
    const env = {
      DATABASE_URL: gateway.database.url,
      X402_PAY_TO: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
      X402_RPC_URL: gateway.facilitator.rpcUrl,
      FACILITATOR_URL: gateway.facilitator.url,
    };
    const until = gateway.clock.now().toISOString();
    const streams = { out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) };
    const code = await run(['--since', since, '--until', until, ...args], env, streams);
    return { code, out: out.join(''), err: err.join('') };
  }

  it('says that everything agrees', async () => {
    await paid();
    const { code, out, err } = await command();
    expect(out).toContain('Ledger and chain: 1 matched, 0 ours only, 0 theirs only');
    expect([code, out.includes('Everything agrees.'), /^chain: block/m.test(err)]).toEqual([0, true, true]);
  });

  it('ends with 1 for a difference, and shows it', async () => {
    const { payer, nonce } = await paid('settled-but-answer-lost');
    const { code, out } = await command();
    expect(code).toBe(1);
    for (const text of [
      'Theirs only',
      '0.050000 USD  settlement_pending',
      payer,
      nonce,
      hashOf(nonce),
      'payment:close',
    ])
      expect(out).toContain(text);
  });

  it.each([
    [['--until', 'yesterday'], '--until must be an instant'],
    [['--within', 'soon'], '--within must be a number of seconds'],
    [['--forever'], 'Unknown option'],
    [['--until', '2020-01-01'], 'Nothing to compare'],
  ])('refuses %p', async (args, message) => {
    const { code, err } = await command(...args);
    expect([code, err.includes(message)]).toEqual([2, true]);
  });
});

describe('the hourly job', () => {
  class Hourly {}
  const modules = [{ module: Hourly, imports: [ReconciliationModule], providers: [ReconciliationJob] }];

  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) };

  let worker: Gateway;
  beforeAll(async () => {
    await forget();
    const hurried = { ...settings, RECONCILE_EVERY_SECONDS: '1' };
    worker = await startGateway({ besides: gateway, chain: true, modules, settings: hurried });
    Logger.overrideLogger(new NestPinoLogger(createLogger('agent-gateway-worker', { destination })));
  });
  afterAll(() => worker.close());

  const newest = (level: string) => lines.findLast((line) => line['level'] === level);

  it('says in one line that everything agrees, and raises an alert when it does not', async () => {
    const payment = await gateway.aBuyer().sign();
    expect((await gateway.pay(payment)).status).toBe(200);
    gateway.clock.advanceMs(20 * 60_000);

    const agreed = { message: 'reconciled', outbox: { matched: 1 }, chain: { matched: 1, oursOnly: 0, theirsOnly: 0 } };
    await eventually(() => expect(newest('info')).toMatchObject({ ...agreed, complete: true, needPerson: 0 }));
    expect(newest('error')).toBeUndefined();

    await gateway.ledger.dataSource.query('DELETE FROM outbox');
    await eventually(() => {
      expect(newest('error')).toMatchObject({
        message: expect.stringContaining('npm run reconcile'),
        context: 'reconciliation',
        outbox: { matched: 0, oursOnly: 1 },
        differences: [{ nonce: payment.nonce }],
      });
    });
  });

  it('goes on after the chain could not be read', async () => {
    gateway.facilitator.control({ mode: '500', on: 'rpc' });
    await eventually(() => expect(newest('warn')).toMatchObject({ message: 'the ledger could not be reconciled' }));
    gateway.facilitator.control({ mode: 'ok' });
    const seen = lines.length;
    await eventually(() => expect(lines.slice(seen).map(({ level }) => level)).toContain('error'));
  });
});
