import { CHAINS } from '@evenkeel/contracts';
import { startFacilitator, type RunningFacilitator } from '@evenkeel/facilitator';
import { freePort } from '@evenkeel/services/free-port';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { aPaidServer, type PaidServer } from './paid-server.fixture';
import { payFor } from './pay-for';

// The version 1 library is fetched once, and brings a few thousand modules along.
jest.setTimeout(300_000);

const privateKey = generatePrivateKey();
const payer = privateKeyToAddress(privateKey);
const body = { habits: [{ name: 'Morning run', completion_rate: 0.82, current_streak: 9, best_streak: 21 }] };

let facilitator: RunningFacilitator;
let server: PaidServer;
beforeEach(async () => {
  facilitator = await startFacilitator({ port: 0, chain: CHAINS[0]!, control: true });
  server = await aPaidServer(facilitator.url);
});
afterEach(async () => {
  server.close();
  await facilitator.close();
});

describe.each([
  ['v1', 'X-PAYMENT', 'base', 1],
  ['v2', 'PAYMENT-SIGNATURE', 'eip155:8453', 2],
  ['v2-only', 'PAYMENT-SIGNATURE', 'eip155:8453', 2],
] as const)('client %s', (client, header, network, version) => {
  it('pays what is asked, with a signature that the facilitator takes', async () => {
    const call = await payFor({ url: server.url, operation: 'recommend', body, client, privateKey });
    expect(call).toMatchObject({
      status: 200,
      body: { generated_for_habits: 2 },
      receipt: { success: true, network, payer, amount: '30000', status: 'settled' },
      challenge: { price: { usd_exact: '0.030000' } },
      payment: { header },
    });
    expect(facilitator.ledger()).toMatchObject({
      calls: { verify: 1, settle: 1 },
      settlements: [{ payer: payer.toLowerCase(), value: '30000', transaction: call.receipt!.transaction }],
    });
    const sent = JSON.parse(Buffer.from(call.payment!.value, 'base64').toString()) as { x402Version: number };
    expect(sent.x402Version).toBe(version);
  });

  it('sends the body and the further headers with both requests', async () => {
    const headers = { 'Idempotency-Key': 'order-17' };
    await payFor({ url: server.url, operation: 'analyze', body, client, privateKey, headers });
    const expected = { body, headers: { 'idempotency-key': 'order-17', 'content-type': 'application/json' } };
    expect(server.requests).toMatchObject([expected, expected]);
  });

  it('hands over a refusal as an answer', async () => {
    facilitator.control({ action: 'balance', wallet: payer, value: '0' });
    const call = await payFor({ url: server.url, operation: 'plan', body, client, privateKey });
    expect(call).toMatchObject({
      status: 402,
      body: { error: 'invalid_exact_evm_insufficient_balance' },
      receipt: undefined,
    });
    expect(facilitator.ledger().settlements).toEqual([]);
  });

  it('says what to start when no service answers', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    await expect(payFor({ url, operation: 'plan', body, client, privateKey })).rejects.toThrow(
      `Nobody answers at ${url}. Start the service with "npm start", or name another with --url.`,
    );
  });
});

it('says so when the library finds nothing it can pay', async () => {
  const modern = await aPaidServer(facilitator.url, 'eip155:8453');
  const call = { url: modern.url, operation: 'plan', body, privateKey } as const;
  await expect(payFor({ ...call, client: 'v1' })).rejects.toThrow('The v1 client cannot pay');
  expect((await payFor({ ...call, client: 'v2' })).status).toBe(200);
  modern.close();
});
