import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import type { TestDatabase } from '@evenkeel/platform/testing';
import { fetchedPackages } from '@evenkeel/services';
import { FacilitatorProgram } from '../facilitator-program.fixture';
import { databaseOf, settingsOf, start, stopPrograms, type Started } from '../programs.fixture';
import { LINES, type CallParams, type Result } from './lines.fixture';
import { Wallet, type HttpAnswer, type WalletOptions } from './wallet.fixture';

const INSTALLATION_LIMIT_MS = 600_000;
const TOOLS = [...PAID_ENDPOINTS.map(({ toolName }) => toolName), 'list_offers', 'check_input', 'payment_status'];
const { path, toolName, exampleInput, exampleResult, priceMicros } = PAID_ENDPOINTS[3]!;
const PRICE = String(priceMicros);
const CAP = String(priceMicros - 1);
const recommend: CallParams = { name: toolName, arguments: exampleInput as Record<string, unknown> };

// A command line is a new process for each call.
jest.setTimeout(180_000);

let packages: string;
let database: TestDatabase;
let facilitator: FacilitatorProgram;
let gateway: Started;
beforeAll(async () => {
  packages = await fetchedPackages('tools/buyers/wallets/packages');
  [database, facilitator] = await Promise.all([databaseOf('agent-gateway'), FacilitatorProgram.start()]);
  gateway = await start('agent-gateway', settingsOf('agent-gateway', database, facilitator.settings));
}, INSTALLATION_LIMIT_MS);
afterAll(async () => {
  await stopPrograms();
  await database?.drop();
}, 60_000);

/** The facilitator's record of the wallet: payments and transfers. */
async function accountOf({ address }: Wallet) {
  const { payments, settlements } = await facilitator.ledger();
  const own = <T extends { payer: string }>(entries: T[]) =>
    entries.filter(({ payer }) => payer.toLowerCase() === address.toLowerCase());
  return { payments: own(payments), settlements: own(settlements) };
}

async function expectNoPayment(wallet: Wallet): Promise<void> {
  expect(await accountOf(wallet)).toEqual({ payments: [], settlements: [] });
}

function expectPublishedResult({ isError, structuredContent }: Result): void {
  expect([isError ?? false, JSON.stringify(structuredContent)]).toEqual([false, JSON.stringify(exampleResult)]);
}

const emptyPurse = ({ address }: Wallet) => facilitator.control({ action: 'balance', wallet: address, value: '0' });
const loseOutcome = () =>
  facilitator.control({ mode: 'refused', reason: 'invalid_exact_evm_nonce_already_used', count: 1 });
const declined = { error: 'payment_rejected', details: { code: 'insufficient_funds', charged: false } };
const rejected = { isError: true, structuredContent: declined };
const unknown = {
  isError: true,
  structuredContent: { error: 'settlement_unknown', details: { charged: null, retry: 'retry_same' } },
};

type Open = (options?: Partial<WalletOptions>) => Promise<Wallet>;

/** One process for all tests of a wallet: it loads a few thousand modules, or starts programs that do. */
function startedOnce(name: string): Open {
  let wallet: Wallet;
  beforeAll(async () => void (wallet = await Wallet.start(name, packages)), 60_000);
  afterAll(() => wallet?.end());
  return async (options = {}) => {
    await wallet.open({ url: gateway.url, ...options });
    return wallet;
  };
}

/** The checks of every wallet that pays over MCP after a refusal with the price. */
function paysAfterRefusal(open: Open, receipt: string, more: string[] = []): void {
  it('lists the tools, pays once, also where its request arrives twice, and signs again for the next call', async () => {
    const wallet = await open();
    expect(await wallet.toolNames()).toEqual([...TOOLS, ...more]);
    const { result } = await wallet.call(recommend);
    expectPublishedResult(result);
    const { settlements } = await accountOf(wallet);
    expect(settlements).toMatchObject([{ value: PRICE }]);
    expect(result._meta![receipt]).toMatchObject({ success: true, transaction: settlements[0]!.transaction });

    const again = await wallet.repeat();
    expectPublishedResult(again);
    expect(again._meta).toMatchObject({ 'evenkeel/replayed': true });
    expect((await accountOf(wallet)).settlements).toEqual(settlements);
    expectPublishedResult((await wallet.call(recommend)).result);
    expect((await accountOf(wallet)).settlements).toMatchObject([{ value: PRICE }, { value: PRICE }]);
  });

  it('gets an error when it has no money, and signs no second payment while an outcome is unknown', async () => {
    const poor = await open();
    await emptyPurse(poor);
    expect((await poor.call(recommend)).result).toMatchObject(rejected);
    expect((await accountOf(poor)).settlements).toEqual([]);
    const waiting = await open();
    await loseOutcome();
    expect((await waiting.call(recommend)).result).toMatchObject(unknown);
    expect(await accountOf(waiting)).toMatchObject({ payments: [{}], settlements: [] });
  });
}

describe.each([
  ['agents', LINES],
  // It is written for the old line.
  ['mcpay', ['sdk 1.x']],
] as const)('%s', (name, lines) => {
  const opened = startedOnce(name);
  describe.each(lines)('over %s', (line) => {
    const open: Open = (options) => opened({ line, ...options });
    paysAfterRefusal(open, 'x402/payment-response');

    it('shows its owner the price, and pays nothing without approval or over its cap', async () => {
      const wallet = await open({ approves: false });
      const { result, offers } = await wallet.call(recommend);
      expect(offers).toMatchObject([{ amount: PRICE }, { maxAmountRequired: PRICE, network: 'base' }]);
      expect(result).toEqual({ isError: true, content: [{ type: 'text', text: 'User declined payment' }] });
      await expectNoPayment(wallet);
      await open({ maxAtomic: CAP });
      const text = `Payment exceeds client cap: ${PRICE} > ${CAP}`;
      expect((await wallet.call(recommend)).result).toEqual({ isError: true, content: [{ type: 'text', text }] });
      await expectNoPayment(wallet);
    });
  });
});

describe('x402-mcp', () => {
  const open = startedOnce('x402-mcp');
  paysAfterRefusal(open, 'x402.payment-response', ['generatePaymentAuthorization', 'viewAccountBalance']);

  it('finds terms that it can sign, and pays nothing without approval or over its cap', async () => {
    const wallet = await open({ approves: false });
    const { result, offers } = await wallet.call(recommend);
    expect(result).toMatchObject({ isError: true });
    expect(offers).toMatchObject([{ maxAmountRequired: PRICE, network: 'base' }]);
    await expectNoPayment(wallet);
    await open({ maxAtomic: CAP });
    await expect(wallet.call(recommend)).rejects.toThrow('exceed user configured max payment value');
    await expectNoPayment(wallet);
  });
});

describe('@apify/mcpc', () => {
  const open = startedOnce('mcpc');
  const withHorizon = (days: number): CallParams => ({
    ...recommend,
    arguments: { ...recommend.arguments, horizon_days: days },
  });

  // One story: it starts a program for each line of it.
  it('pays at once, with one signature for equal calls and a new one for another', async () => {
    const wallet = await open();
    expect(await wallet.toolNames()).toEqual(TOOLS);
    expectPublishedResult((await wallet.call(recommend)).result);
    const { result: again } = await wallet.call(recommend);
    expectPublishedResult(again);
    expect(again._meta).toMatchObject({ 'evenkeel/replayed': true });
    expect((await accountOf(wallet)).settlements).toMatchObject([{ value: PRICE }]);

    expect((await wallet.call(withHorizon(8))).result.isError).toBeFalsy();
    const { payments, settlements } = await accountOf(wallet);
    expect(settlements).toHaveLength(2);
    await loseOutcome();
    expect((await wallet.call(withHorizon(9))).result).toMatchObject(unknown);
    expect((await accountOf(wallet)).payments).toHaveLength(payments.length + 1);
    await emptyPurse(wallet);
    expect((await wallet.call(withHorizon(10))).result).toMatchObject(rejected);
    expect((await accountOf(wallet)).settlements).toEqual(settlements);
  });
});

describe('mppx', () => {
  const open = startedOnce('mppx');
  const { arguments: input } = recommend;

  it('pays over HTTP, once where its request arrives twice, and gets an error when it has no money', async () => {
    const wallet = await open();
    const { result, offers } = await wallet.post(path, input);
    expect(result).toMatchObject({ status: 200, body: exampleResult });
    expect(offers).toMatchObject([{ amount: PRICE, network: 'eip155:8453' }]);
    const { settlements } = await accountOf(wallet);
    expect(settlements).toMatchObject([{ value: PRICE }]);
    const again = await wallet.repeat<HttpAnswer>();
    expect(again).toMatchObject({ status: 200, body: result.body, headers: { 'idempotent-replayed': 'true' } });
    expect((await accountOf(wallet)).settlements).toEqual(settlements);
    await emptyPurse(wallet);
    expect((await wallet.post(path, input)).result).toMatchObject({ status: 402, body: declined });
  });

  it('pays nothing without its owner, over its cap, or over MCP, where it looks for offers of its own protocol', async () => {
    const wallet = await open({ approves: false });
    await expect(wallet.post(path, input)).rejects.toThrow('User declined payment');
    await open({ maxAtomic: CAP });
    await expect(wallet.post(path, input)).rejects.toThrow('No method');
    expect(await wallet.toolNames()).toEqual(TOOLS);
    const priced = { isError: true, structuredContent: { error: 'payment_required' } };
    expect((await wallet.call(recommend)).result).toMatchObject(priced);
    await expectNoPayment(wallet);
  });
});

describe('mcp-inspector --cli', () => {
  const open = startedOnce('inspector');

  it('lists the tools, and ends with 5 where one is not paid', async () => {
    const wallet = await open();
    expect(await wallet.toolNames()).toEqual(TOOLS);
    const priced = { code: 5, isError: true, structuredContent: { error: 'payment_required' } };
    expect((await wallet.call(recommend)).result).toMatchObject(priced);
  });
});
