import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import type { TestDatabase } from '@evenkeel/platform/testing';
import { fetchedPackages } from '@evenkeel/services';
import { FacilitatorProgram } from '../facilitator-program.fixture';
import { gatewayDatabase, gatewayEnv, startGateway, type Gateway } from '../gateway-programs.fixture';
import { stopPrograms } from '../program.fixture';
import { workedExample } from '../worked-examples.fixture';
import { LINES, type CallParams, type Result } from './lines.fixture';
import { endWallets, Wallet, type HttpAnswer, type WalletOptions } from './wallet.fixture';

const INSTALLATION_LIMIT_MS = 600_000;
const RECOMMEND_PATH = '/agent/v1/habits/recommend';
const TOOLS = [...PAID_ENDPOINTS.map(({ toolName }) => toolName), 'list_offers', 'check_input', 'payment_status'];

let packages: string;
let database: TestDatabase;
let facilitator: FacilitatorProgram;
let gateway: Gateway;

beforeAll(async () => {
  packages = await fetchedPackages('tools/buyers/wallets/packages');
}, INSTALLATION_LIMIT_MS);

beforeAll(async () => {
  [database, facilitator] = await Promise.all([gatewayDatabase(), FacilitatorProgram.start()]);
  gateway = await startGateway(gatewayEnv(database, facilitator));
}, 90_000);

afterAll(async () => {
  await endWallets();
  await stopPrograms();
  await database?.drop();
}, 60_000);

// A command line is a new process for each call.
jest.setTimeout(180_000);

const recommend: CallParams = {
  name: 'recommend_habit_actions',
  arguments: workedExample('recommend').request as Record<string, unknown>,
};

/** The facilitator's record of the wallet: payments and transfers. */
async function accountOf({ address }: Wallet) {
  const { payments, settlements } = await facilitator.ledger();
  const own = <T extends { payer: string }>(entries: T[]) => {
    return entries.filter(({ payer }) => payer.toLowerCase() === address.toLowerCase());
  };
  return { payments: own(payments), settlements: own(settlements) };
}

async function expectNoPayment(wallet: Wallet): Promise<void> {
  expect(await accountOf(wallet)).toEqual({ payments: [], settlements: [] });
}

function expectWorkedResult(result: Result): void {
  expect(result.isError).toBeFalsy();
  expect(JSON.stringify(result.structuredContent)).toBe(JSON.stringify(workedExample('recommend').result));
}

function emptyPurse({ address }: Wallet): Promise<void> {
  return facilitator.control({ action: 'balance', wallet: address, value: '0' });
}

function loseOutcome(): Promise<void> {
  return facilitator.control({ mode: 'refused', reason: 'invalid_exact_evm_nonce_already_used', count: 1 });
}

const rejected = {
  isError: true,
  structuredContent: { error: 'payment_rejected', details: { code: 'insufficient_funds', charged: false } },
};
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
function paysAfterRefusal(open: Open, receipt: string): void {
  it('pays once, also where its request arrives twice', async () => {
    const wallet = await open();
    await wallet.listTools();
    const { result } = await wallet.call(recommend);
    expectWorkedResult(result);
    const { settlements } = await accountOf(wallet);
    expect(settlements).toMatchObject([{ value: '30000' }]);
    expect(result._meta![receipt]).toMatchObject({ success: true, transaction: settlements[0]!.transaction });

    const again = await wallet.repeat();
    expectWorkedResult(again);
    expect(again._meta).toMatchObject({ 'evenkeel/replayed': true });
    expect((await accountOf(wallet)).settlements).toEqual(settlements);
  });

  it('signs again for the next call', async () => {
    const wallet = await open();
    for (const call of [recommend, recommend]) expectWorkedResult((await wallet.call(call)).result);
    expect((await accountOf(wallet)).settlements).toMatchObject([{ value: '30000' }, { value: '30000' }]);
  });

  it('gets an error when it has no money', async () => {
    const wallet = await open();
    await emptyPurse(wallet);
    await wallet.listTools();
    expect((await wallet.call(recommend)).result).toMatchObject(rejected);
    expect((await accountOf(wallet)).settlements).toEqual([]);
  });

  it('signs no second payment while an outcome is unknown', async () => {
    const wallet = await open();
    await loseOutcome();
    await wallet.listTools();
    expect((await wallet.call(recommend)).result).toMatchObject(unknown);
    expect(await accountOf(wallet)).toMatchObject({ payments: [{}], settlements: [] });
  });
}

describe.each([
  ['agents', LINES],
  // It is written for the old line.
  ['mcpay', ['sdk 1.x']],
] as const)('%s', (name, lines) => {
  const start = startedOnce(name);
  describe.each(lines)('over %s', (line) => confirmedByItsOwner((options) => start({ line, ...options })));
});

it('agents writes the price beside what it lists', async () => {
  const wallet = await Wallet.start('agents', packages);
  await wallet.open({ url: gateway.url });
  const tool = (await wallet.listTools()).find(({ name }) => name === recommend.name);
  expect(tool!.description).toContain('(This is a paid tool, you will be charged $0.03 for its execution)');
});

/** Two of one family. */
function confirmedByItsOwner(open: Open): void {
  paysAfterRefusal(open, 'x402/payment-response');

  it('lists the tools', async () => {
    const wallet = await open();
    expect((await wallet.listTools()).map((tool) => tool.name)).toEqual(TOOLS);
  });

  it('shows its owner the price, and pays nothing without approval', async () => {
    const wallet = await open({ approves: false });
    const { result, offers } = await wallet.call(recommend);
    expect(offers).toMatchObject([{ amount: '30000' }, { maxAmountRequired: '30000', network: 'base' }]);
    expect(result).toEqual({ isError: true, content: [{ type: 'text', text: 'User declined payment' }] });
    await expectNoPayment(wallet);
  });

  it('keeps to its cap', async () => {
    const wallet = await open({ maxAtomic: '29999' });
    const text = 'Payment exceeds client cap: 30000 > 29999';
    expect((await wallet.call(recommend)).result).toEqual({ isError: true, content: [{ type: 'text', text }] });
    await expectNoPayment(wallet);
  });
}

describe('x402-mcp', () => {
  const open = startedOnce('x402-mcp');
  paysAfterRefusal(open, 'x402.payment-response');

  it('lists the tools beside two of its own', async () => {
    const wallet = await open();
    const names = (await wallet.listTools()).map((tool) => tool.name);
    expect(names).toEqual([...TOOLS, 'generatePaymentAuthorization', 'viewAccountBalance']);
  });

  it('finds terms that it can sign in the refusal', async () => {
    const wallet = await open({ approves: false });
    const { result, offers } = await wallet.call(recommend);
    expect(result).toMatchObject({ isError: true });
    expect(offers).toMatchObject([{ maxAmountRequired: '30000', network: 'base' }]);
    await expectNoPayment(wallet);
  });

  it('keeps to its cap', async () => {
    const wallet = await open({ maxAtomic: '29999' });
    await expect(wallet.call(recommend)).rejects.toThrow(
      'Payment requirements exceed user configured max payment value',
    );
    await expectNoPayment(wallet);
  });
});

describe('@apify/mcpc', () => {
  const open = startedOnce('mcpc');
  const withHorizon = (days: number): CallParams => {
    return { ...recommend, arguments: { ...recommend.arguments, horizon_days: days } };
  };

  // One story: it starts a program for each line of it.
  it('pays at once, with one signature for equal calls and a new one for another', async () => {
    const wallet = await open();
    expect((await wallet.listTools()).map((tool) => tool.name)).toEqual(TOOLS);
    expectWorkedResult((await wallet.call(recommend)).result);
    const { result: again } = await wallet.call(recommend);
    expectWorkedResult(again);
    expect(again._meta).toMatchObject({ 'evenkeel/replayed': true });
    expect((await accountOf(wallet)).settlements).toMatchObject([{ value: '30000' }]);

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

  it('pays over HTTP, once where its request arrives twice', async () => {
    const wallet = await open();
    const { result, offers } = await wallet.post(RECOMMEND_PATH, input);
    expect(result).toMatchObject({ status: 200, body: workedExample('recommend').result });
    expect(offers).toMatchObject([{ amount: '30000', network: 'eip155:8453' }]);
    const { settlements } = await accountOf(wallet);
    expect(settlements).toMatchObject([{ value: '30000' }]);

    const again = await wallet.repeat<HttpAnswer>();
    expect(again).toMatchObject({ status: 200, body: result.body, headers: { 'idempotent-replayed': 'true' } });
    expect((await accountOf(wallet)).settlements).toEqual(settlements);
  });

  it('pays nothing without its owner, and nothing over its cap', async () => {
    const wallet = await open({ approves: false });
    await expect(wallet.post(RECOMMEND_PATH, input)).rejects.toThrow('User declined payment');
    await open({ maxAtomic: '29999' });
    await expect(wallet.post(RECOMMEND_PATH, input)).rejects.toThrow('No method');
    await expectNoPayment(wallet);
  });

  it('gets an error when it has no money', async () => {
    const wallet = await open();
    await emptyPurse(wallet);
    const { result } = await wallet.post(RECOMMEND_PATH, input);
    expect(result).toMatchObject({ status: 402, body: rejected.structuredContent });
    expect((await accountOf(wallet)).settlements).toEqual([]);
  });

  it('over MCP lists the tools, and takes the price for an error: it looks for offers of its own protocol', async () => {
    const wallet = await open();
    expect((await wallet.listTools()).map((tool) => tool.name)).toEqual(TOOLS);
    const { result } = await wallet.call(recommend);
    expect(result).toMatchObject({ isError: true, structuredContent: { error: 'payment_required' } });
    await expectNoPayment(wallet);
  });
});

describe('mcp-inspector --cli', () => {
  const open = startedOnce('inspector');

  it('lists the tools, and ends with 5 where one is not paid', async () => {
    const wallet = await open();
    expect((await wallet.listTools()).map((tool) => tool.name)).toEqual(TOOLS);
    expect((await wallet.call(recommend)).result).toMatchObject({
      code: 5,
      isError: true,
      structuredContent: { error: 'payment_required' },
    });
  });
});
