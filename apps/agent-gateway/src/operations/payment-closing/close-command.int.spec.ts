import { audit } from '@evenkeel/ops/audit';
import { type Gateway, startGateway } from '../../gateway.fixture';
import { recoveryByHand } from '../../recovery/resolve-uncertain.fixture';
import { run } from './run';

const PAYER = `0x${'Ab'.repeat(20)}`;
const NONCE = `0x${'Cd'.repeat(32)}`;

it.each([
  [[], '<payer> must be an address'],
  [['0x1', NONCE, 'failed'], '<payer> must be an address'],
  [[PAYER, '0x2', 'failed'], '<nonce> must be'],
  [[PAYER, NONCE, 'lost'], 'a transaction hash (0x and 64 hex digits) or the word failed'],
  [[PAYER, NONCE, 'failed', 'now'], 'one payment at a time'],
  [[PAYER, NONCE, 'failed', '--force', ''], '--force must say where'],
  [[PAYER, NONCE, 'failed', '--quiet'], 'Unknown option'],
])('refuses %p with 2 and a hint', async (args, message) => {
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  expect(await run(args, {}, { out: say, err: say })).toBe(2);
  expect(said.join('')).toContain(message);
  expect(said.join('')).toContain('--help');
});

describe('without the chain', () => {
  const hexOf = (byte: string) => `0x${byte.repeat(32)}`;

  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ silentAtOnce: true, chain: true, modules: recoveryByHand });
  });
  afterAll(() => gateway.close());
  afterEach(async () => {
    gateway.facilitator.control({ mode: 'ok' });
    expect(await audit(gateway.ledger.dataSource)).toEqual([]);
  });

  async function needsPerson(buyer = gateway.aBuyer()) {
    const payment = await buyer.sign();
    gateway.facilitator.control({ mode: 'reverted', count: 1 });
    expect((await gateway.pay(payment)).status).toBe(502);
    return { payer: buyer.wallet, nonce: payment.nonce, buyer };
  }

  /** The command of an operator who cannot read the chain. */
  async function close(args: string[]): Promise<{ code: number; text: string }> {
    const said: string[] = [];
    const say = (text: string) => void said.push(text);
    const settings = {
      DATABASE_URL: gateway.database.url,
      X402_PAY_TO: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
      X402_RPC_URL: 'none',
      OPERATOR: 'ada',
    };
    return { code: await run(args, settings, { out: say, err: say }), text: said.join('') };
  }

  it('believes the operator, but takes one transfer for one payment', async () => {
    const open = await needsPerson();
    const hash = hexOf('b1');
    expect((await close([open.payer, open.nonce, hash])).code).toBe(0);
    gateway.facilitator.control({ mode: 'reverted', count: 1 });
    const { nonce, header } = await open.buyer.sign();
    expect((await gateway.pay(header)).status).toBe(502);
    const sayTransfer = { code: 1, text: expect.stringContaining('<hash>:<log index>') };
    expect(await close([open.payer, nonce, hash])).toMatchObject(sayTransfer);
    expect(await close([open.payer, nonce, hash, '--force', 'one batch'])).toMatchObject(sayTransfer);
    expect((await close([open.payer, nonce, `${hash}:7`])).code).toBe(0);

    const third = await needsPerson();
    expect(await close([third.payer, third.nonce, `${hash}:7`])).toMatchObject(sayTransfer);
    expect(await gateway.ledger.entriesOf(third.nonce)).toMatchObject({ state: 'needs_reconciliation' });
  });
});
