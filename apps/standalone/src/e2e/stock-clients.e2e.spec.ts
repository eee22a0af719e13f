import { createHash } from 'node:crypto';
import { CLIENT_KINDS, payFor, type PayForOptions } from '@evenkeel/agent';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import type { TestDatabase } from '@evenkeel/platform/testing';
import { generatePrivateKey } from 'viem/accounts';
import { FacilitatorProgram } from './facilitator-program.fixture';
import { databaseOf, settingsOf, start, stopPrograms, type Started } from './programs.fixture';

// The first call with a client loads it, and the version 1 library brings a few thousand modules along.
jest.setTimeout(60_000);

let database: TestDatabase;
let facilitator: FacilitatorProgram;
let gateway: Started;
/** The same service with the long name of the chain in its 402 body. */
let caip2Gateway: Started;
beforeAll(async () => {
  [database, facilitator] = await Promise.all([databaseOf('agent-gateway'), FacilitatorProgram.start()]);
  const started = (more: object) =>
    start('agent-gateway', settingsOf('agent-gateway', database, { ...facilitator.settings, ...more }));
  [gateway, caip2Gateway] = await Promise.all([started({}), started({ X402_BODY_NETWORK: 'caip2' })]);
}, 90_000);
afterAll(async () => {
  await stopPrograms();
  await database?.drop();
}, 60_000);

function pay(client: PayForOptions['client'], endpoint = PAID_ENDPOINTS[3]!, { url } = gateway) {
  const { operation, exampleInput: body } = endpoint;
  return payFor({ url, client, operation, body, privateKey: generatePrivateKey() });
}

const HEADERS = { v1: 'X-PAYMENT', v2: 'PAYMENT-SIGNATURE', 'v2-only': 'PAYMENT-SIGNATURE' };

it.each(CLIENT_KINDS.flatMap((client) => PAID_ENDPOINTS.map((endpoint) => ({ client, endpoint }))))(
  'client $client buys $endpoint.operation for its price, settled once, and gets the published result',
  async ({ client, endpoint }) => {
    const { status, receipt, payment, body, headers } = await pay(client, endpoint);
    expect({ status, receipt }).toMatchObject({ status: 200, receipt: { success: true, status: 'settled' } });
    expect(payment?.header).toBe(HEADERS[client]);
    const { settlements } = await facilitator.ledger();
    const own = settlements.filter(({ payer }) => payer === receipt!.payer!.toLowerCase());
    expect(own).toMatchObject([{ value: String(endpoint.priceMicros), transaction: receipt!.transaction }]);
    const text = JSON.stringify(body);
    expect(text).toBe(JSON.stringify(endpoint.exampleResult));
    expect(headers.get('content-digest')).toBe(`sha-256=:${createHash('sha256').update(text).digest('base64')}:`);
  },
);

it('with the long name of the chain in the 402 body version 1 clients cannot pay, version 2 clients can', async () => {
  await expect(pay('v1', undefined, caip2Gateway)).rejects.toThrow(/cannot pay/);
  for (const client of ['v2', 'v2-only'] as const) {
    const call = { status: 200, receipt: { success: true, network: 'eip155:8453' } };
    expect(await pay(client, undefined, caip2Gateway)).toMatchObject(call);
  }
});
