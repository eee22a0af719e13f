import { createHash } from 'node:crypto';
import { CLIENT_KINDS, payFor, type PaidCall, type PayForOptions } from '@evenkeel/agent';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import type { TestDatabase } from '@evenkeel/platform/testing';
import { generatePrivateKey } from 'viem/accounts';
import { FacilitatorProgram } from './facilitator-program.fixture';
import { gatewayDatabase, gatewayEnv, startGateway, type Gateway } from './gateway-programs.fixture';
import { stopPrograms } from './program.fixture';
import { workedExample } from './worked-examples.fixture';

let database: TestDatabase;
let facilitator: FacilitatorProgram;
let gateway: Gateway;
/** The same service with the long name of the chain in its 402 body. */
let caip2Gateway: Gateway;

beforeAll(async () => {
  [database, facilitator] = await Promise.all([gatewayDatabase(), FacilitatorProgram.start()]);
  const env = gatewayEnv(database, facilitator);
  [gateway, caip2Gateway] = await Promise.all([
    startGateway(env),
    startGateway({ ...env, X402_BODY_NETWORK: 'caip2' }),
  ]);
}, 90_000);

afterAll(async () => {
  await stopPrograms();
  await database?.drop();
}, 60_000);

function pay(wish: Pick<PayForOptions, 'operation' | 'client'> & Partial<PayForOptions>): Promise<PaidCall> {
  const { request } = workedExample(wish.operation);
  return payFor({ url: gateway.url, body: request, privateKey: generatePrivateKey(), ...wish });
}

function digestOf(text: string): string {
  return `sha-256=:${createHash('sha256').update(text).digest('base64')}:`;
}

const everyPurchase = CLIENT_KINDS.flatMap((client) => PAID_ENDPOINTS.map((endpoint) => ({ client, endpoint })));

describe.each(everyPurchase)('client $client buys $endpoint.operation', ({ client, endpoint }) => {
  let call: PaidCall;
  beforeAll(async () => {
    call = await pay({ client, operation: endpoint.operation });
    // The first call with a client loads it, and the version 1 library brings a few thousand modules along.
  }, 30_000);

  it('for its price, settled once', async () => {
    expect(call).toMatchObject({ status: 200, receipt: { success: true, status: 'settled' } });
    const { settlements } = await facilitator.ledger();
    const own = settlements.filter(({ payer }) => payer === call.receipt!.payer!.toLowerCase());
    expect(own).toMatchObject([{ value: String(endpoint.priceMicros), transaction: call.receipt!.transaction }]);
  });

  it('and gets the worked result', () => {
    expect(JSON.stringify(call.body)).toBe(JSON.stringify(workedExample(endpoint.operation).result));
    expect(call.headers.get('content-digest')).toBe(digestOf(JSON.stringify(call.body)));
  });
});

it.each([
  ['v1', 'X-PAYMENT'],
  ['v2', 'PAYMENT-SIGNATURE'],
  ['v2-only', 'PAYMENT-SIGNATURE'],
] as const)('client %s pays in the header %s', async (client, header) => {
  expect((await pay({ client, operation: 'recommend' })).payment?.header).toBe(header);
});

describe('with the long name of the chain in the 402 body', () => {
  it('version 1 clients cannot pay', async () => {
    await expect(pay({ url: caip2Gateway.url, client: 'v1', operation: 'recommend' })).rejects.toThrow(/cannot pay/);
  });

  it.each(['v2', 'v2-only'] as const)('client %s can', async (client) => {
    expect(await pay({ url: caip2Gateway.url, client, operation: 'recommend' })).toMatchObject({
      status: 200,
      receipt: { success: true, network: 'eip155:8453' },
    });
  });
});
