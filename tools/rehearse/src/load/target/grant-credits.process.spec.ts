import { ENTITIES, MIGRATIONS } from '@evenkeel/agent-gateway';
import { audit } from '@evenkeel/ops/audit';
import { CreditIssued, PaymentSettled } from '@evenkeel/contracts';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { grantCredits } from './grant-credits';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ name: 'load', entities: ENTITIES, migrations: MIGRATIONS });
});
afterAll(() => database.drop());

it('leaves books that are right, and a credit for each token', async () => {
  const tokens = [...(await grantCredits(database.url, 450)), ...(await grantCredits(database.url, 3))];
  expect(new Set(tokens).size).toBe(453);
  expect(tokens[0]).toMatch(/^hrc_[A-Za-z0-9_-]{43}$/);
  const [{ unspent }] = await database.dataSource.query<[{ unspent: number }]>(
    `SELECT count(*)::integer AS unspent FROM credits WHERE redeemed_at IS NULL
       AND token_hash = ANY (SELECT encode(sha256(convert_to(token, 'UTF8')), 'hex') FROM unnest($1::text[]) AS t (token))`,
    [tokens],
  );
  expect(unspent).toBe(453);
  expect(await audit(database.dataSource)).toEqual([]);
});

it('announces them as the gateway does, each wallet in its order', async () => {
  const events = await database.dataSource.query<{ type: string; payload: object }[]>(
    'SELECT type, payload FROM outbox',
  );
  const classes: Record<string, new () => object> = {
    [PaymentSettled.type]: PaymentSettled,
    [CreditIssued.type]: CreditIssued,
  };
  for (const { type, payload } of events) {
    const event = plainToInstance(classes[type]!, payload);
    expect(validateSync(event, { whitelist: true, forbidNonWhitelisted: true })).toEqual([]);
  }
  const [{ gaps }] = await database.dataSource.query<[{ gaps: number }]>(
    `SELECT count(*)::integer AS gaps FROM (
       SELECT aggregate_seq - lag(aggregate_seq, 1, 0::bigint) OVER (PARTITION BY aggregate ORDER BY seq) AS step FROM outbox
     ) AS steps WHERE step <> 1`,
  );
  expect(gaps).toBe(0);
});

it('says that the ledger does not answer', async () => {
  await expect(grantCredits('postgres://nobody@127.0.0.1:1/none', 1)).rejects.toThrow(
    /^Credits cannot be granted: the ledger does not answer \(.*ECONNREFUSED/,
  );
});
