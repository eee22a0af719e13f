import { startGateway, type Gateway } from '../../gateway.fixture';
import { recoveryByHand } from '../../recovery/resolve-uncertain.fixture';
import { ReconciliationModule } from './reconciliation.module';
import { run } from './run';

/** What is younger is left to the worker. */
const COMPARED_AFTER_MS = 16 * 60_000;

let gateway: Gateway;
beforeAll(async () => {
  const modules = [...recoveryByHand!, ReconciliationModule];
  const settings = { RECONCILE_LOOK_BACK_HOURS: '1' };
  gateway = await startGateway({ silentAtOnce: true, chain: true, modules, settings });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  gateway.clock.advanceMs(2 * 3_600_000); // what the tests before have left on the chain is out of sight
  await gateway.ledger.dataSource.query('TRUNCATE payments, payment_answers, payment_checks, wallets, calls, outbox');
});
afterEach(() => gateway.facilitator.control({ mode: 'ok' }));

async function paid(mode = 'ok') {
  const buyer = gateway.aBuyer();
  const payment = await buyer.sign();
  gateway.facilitator.control({ mode, count: 1 });
  expect((await gateway.pay(payment)).status).toBe(200);
  return { ...payment, payer: buyer.wallet };
}

const hashOf = (nonce: string) => gateway.facilitator.ledger(nonce).settlements[0]!.transaction;

describe('the command', () => {
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

  it('writes JSON for programs', async () => {
    await paid();
    const { out } = await command('--json');
    expect(JSON.parse(out)).toMatchObject({
      complete: true,
      comparisons: [{ with: 'outbox' }, { with: 'chain', matched: 1 }],
    });
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
