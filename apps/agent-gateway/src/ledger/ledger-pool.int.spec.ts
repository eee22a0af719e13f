import { poolOf } from '@evenkeel/platform/persistence';
import { DataSource } from 'typeorm';
import { startGateway, type Gateway } from '../gateway.fixture';
import { ledgerPool } from './ledger-pool';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

async function payFor(buyer = gateway.aBuyer()): Promise<number> {
  return (await gateway.pay(await buyer.sign())).status;
}

async function takeAll(pool: ReturnType<typeof poolOf>) {
  const taken = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  return () => taken.forEach((connection) => connection.release());
}

it('claims and settles while all other connections are taken', async () => {
  const buyer = gateway.aBuyer();
  expect(await payFor(buyer)).toBe(200); // the wallet and the requirements are known
  const release = await takeAll(poolOf(gateway.app.get(DataSource)));
  expect(await Promise.all(Array.from({ length: 10 }, () => payFor(buyer)))).toEqual(Array(10).fill(200));
  release();
});

it('reads while all connections of claims and settlements are taken', async () => {
  const payment = await gateway.aBuyer().sign();
  expect((await gateway.pay(payment)).status).toBe(200);
  const release = await takeAll(ledgerPool(gateway.app.get(DataSource)));
  expect((await gateway.send(`/agent/v1/payments/${payment.nonce}`)).status).toBe(200);
  expect((await gateway.pay(payment)).headers.get('idempotent-replayed')).toBe('true');
  release();
});

it('commits durably whatever the database says', async () => {
  const { dataSource } = gateway.ledger;
  const [{ name }] = await dataSource.query<[{ name: string }]>('SELECT current_database() AS name');
  await dataSource.query(`ALTER DATABASE "${name}" SET synchronous_commit = off`);
  const later = await startGateway({ besides: gateway });
  const laterSource = later.app.get(DataSource);
  const { rows } = await ledgerPool(laterSource).query('SHOW synchronous_commit');
  expect(rows).toEqual([{ synchronous_commit: 'on' }]);
  expect(await laterSource.query('SHOW synchronous_commit')).toEqual([{ synchronous_commit: 'on' }]);
  await later.close();
});
