import { ENTITIES, MIGRATIONS } from '@evenkeel/agent-gateway';
import { requestHandler } from '@evenkeel/platform/http';
import { createTestDatabase } from '@evenkeel/platform/testing';
import type { RequestListener, Server } from 'node:http';
import type { DataSource } from 'typeorm';
import { GATEWAY, type Variant, VARIANTS, WITHOUT_LEDGER } from '../compare/stage';
import { Connection, type Reply } from '@evenkeel/rehearse/connection';
import { prepareRequests } from '../load/prepare-requests';
import { listenLocally } from '../processes/listen-locally';
import { StubFacilitator } from '../stub/stub-facilitator';
import { gatewaySettings } from './gateway-settings';
import { OFFER } from './offer';
import { openGateway, withoutLedger } from './open-gateway';
import { PEERS } from './peers';

describe('the sellers of the benchmark', () => {
  const stub = new StubFacilitator();
  const urls = new Map<string, string>();
  const closers: (() => unknown)[] = [];
  let ledger: DataSource;

  const serve = async (handle: RequestListener): Promise<string> => {
    const { url, server } = await listenLocally(handle);
    closers.push(() => stop(server));
    return url;
  };

  beforeAll(async () => {
    const stubUrl = await serve(stub.handle);
    for (const [name, seller] of Object.entries(PEERS)) urls.set(name, await serve(await seller(stubUrl)));
    const database = await createTestDatabase({ name: 'bench', entities: ENTITIES, migrations: MIGRATIONS });
    closers.push(() => database.drop());
    const settings = gatewaySettings(database.url, stubUrl);
    for (const [name, app] of [
      [GATEWAY, await openGateway(settings)],
      [WITHOUT_LEDGER, withoutLedger(await openGateway(settings))],
    ] as const) {
      closers.push(() => app.close());
      urls.set(name, await serve(await requestHandler(app)));
    }
    ledger = database.dataSource;
  }, 30_000);

  afterAll(async () => {
    for (const close of closers.reverse()) await close();
  });

  const call = async ({ seller, payment, expectedStatus }: Variant, habits: number): Promise<Reply> => {
    const url = urls.get(seller)!;
    const plan = { url, path: OFFER.path, habits, connections: 1, seconds: 0.01, expectedStatus, payment };
    const next = await prepareRequests(plan, new Date());
    const connection = await Connection.open(url);
    const reply = await connection.rawRequest(next()!);
    connection.close();
    return reply;
  };

  const ledgerRows = async (): Promise<number> => {
    const [row] = await ledger.query<{ count: string }[]>('SELECT count(*) FROM payments');
    return Number(row!.count);
  };

  it.each(VARIANTS.challenge)('$name answers an unpaid request with $expectedStatus', async (variant) => {
    expect((await call(variant, 1)).status).toBe(variant.expectedStatus);
  });

  it.each([1, 25])('all sell the same result for %i habits, verified and settled once each', async (habits) => {
    const before = { ...stub.calls };
    const rowsBefore = await ledgerRows();
    const replies = await Promise.all(VARIANTS.paid.map((variant) => call(variant, habits)));

    expect(replies.map(({ status }) => status)).toEqual(VARIANTS.paid.map(() => 200));
    const [ours, ...others] = replies.map(({ body }) => JSON.parse(body.toString()) as object);
    for (const other of others) expect(ours).toMatchObject(other);
    expect(stub.calls.verify - before.verify).toBe(VARIANTS.paid.length);
    expect(stub.calls.settle - before.settle).toBe(VARIANTS.paid.length);
    const withLedger = VARIANTS.paid.filter(({ seller }) => seller === GATEWAY);
    expect((await ledgerRows()) - rowsBefore).toBe(withLedger.length);
  });
});

function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
