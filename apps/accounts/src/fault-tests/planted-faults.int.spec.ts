import { audit } from '@evenkeel/ops/audit';
import type { QueryRunner } from 'typeorm';
import { Accounts, type Person } from '../accounts.fixture';
import { AnalysesOf } from '../analysis/analysis.fixture';

afterAll(() => runner.release());
const accounts = Accounts.forSuite();
let planted: Person;
let runner: QueryRunner;
beforeAll(async () => {
  const ana = await AnalysesOf.somebody(accounts);
  planted = ana.person;
  for (const name of ['Run', 'Read', 'Rest']) await ana.habit({ name });
  expect((await ana.ask('analyze')).status).toBe(200);
  await accounts.ask('POST', '/v1/auth/refresh', { body: { refreshToken: planted.refreshToken } });
  await accounts.person();
  runner = accounts.database.dataSource.createQueryRunner();
});
// Each test removes what it plants, and restores what it removed.
beforeEach(() => runner.startTransaction());
afterEach(() => runner.rollbackTransaction());

const found = async () => (await audit(runner)).map(({ promise, what }) => `${promise}: ${what}`);
const plant = (sql: string) => runner.query(sql.replaceAll('$person', `'${planted.id}'`));

const FOURTH_HABIT = `
INSERT INTO habits SELECT (jsonb_populate_record(h, jsonb_build_object('id', gen_random_uuid()))).*
FROM habits h WHERE user_id = $person LIMIT 1`;
const PREMIUM_ONCE = `
INSERT INTO entitlements (user_id, version, access_until, ever_premium, changed_at)
VALUES ($person, 1, '2020-01-01', true, '2020-01-01')`;
const SECOND_TOKEN = `
INSERT INTO refresh_tokens SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'token_hash', '\\x00'))).*
FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id WHERE s.user_id = $person AND t.used_at IS NULL`;

it('nothing is wrong before', async () => expect(await found()).toEqual([]));

it.each<[string, string[], string[]]>([
  [
    'a fourth active habit on Free',
    [FOURTH_HABIT],
    ['P6: somebody without Premium has more active habits than their plan allows'],
  ],
  ['a fourth habit of somebody who had Premium', [FOURTH_HABIT, PREMIUM_ONCE], []],
  [
    'a fourth habit, archived',
    [FOURTH_HABIT, `UPDATE habits SET archived_at = now() WHERE user_id = $person AND name = 'Run'`],
    [],
  ],
  [
    'a sixth analysis on Free',
    [
      `UPDATE usage_months SET used = 6, version = 6 WHERE user_id = $person`,
      `INSERT INTO outbox (id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload)
     SELECT gen_random_uuid(), topic, aggregate, aggregate_seq + n, type, subject, occurred_at,
       payload || jsonb_build_object('used', n + 1)
     FROM outbox CROSS JOIN generate_series(1, 5) AS n WHERE type = 'usage.metered'`,
    ],
    ['P6: a quota is passed'],
  ],
  [
    'an analysis that was counted and not announced',
    [`UPDATE usage_months SET used = 2, version = 2 WHERE user_id = $person`],
    ['P6: a counter is not what its events say'],
  ],
  [
    'an analysis that was announced and not counted',
    [`DELETE FROM usage_months WHERE user_id = $person`],
    ['P6: a counter is not what its events say'],
  ],
  [
    'one address with two accounts',
    [`ALTER TABLE users DROP CONSTRAINT users_email_key_key`, `UPDATE users SET email_key = 'one@example.com'`],
    ['P6: two accounts have one address'],
  ],
  [
    'two live tokens in one family',
    [`DROP INDEX refresh_tokens_live`, `UPDATE refresh_tokens SET parent_id = NULL`, SECOND_TOKEN],
    ['P6: a family has more than one live refresh token'],
  ],
  [
    'a token with two successors',
    [`DROP INDEX refresh_tokens_live`, SECOND_TOKEN, `UPDATE refresh_tokens SET revoked_at = now()`],
    ['P6: a used refresh token has more than one successor'],
  ],
])('the audit of %s', async (_, statements, offences) => {
  for (const statement of statements) await plant(statement);
  expect(await found()).toEqual(offences);
});
