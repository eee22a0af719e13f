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

const FOURTH_HABIT = `
INSERT INTO habits SELECT (jsonb_populate_record(h, jsonb_build_object('id', gen_random_uuid()))).*
FROM habits h WHERE user_id = $person LIMIT 1`;
const PREMIUM_ONCE = `
INSERT INTO entitlements (user_id, version, access_until, ever_premium, changed_at)
VALUES ($person, 1, '2020-01-01', true, '2020-01-01')`;
const SECOND_TOKEN = `
INSERT INTO refresh_tokens SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'token_hash', '\\x00'))).*
FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id WHERE s.user_id = $person AND t.used_at IS NULL`;

const ARCHIVED = `UPDATE habits SET archived_at = now() WHERE user_id = $person AND name = 'Run'`;
const SIX_ANALYSES = `
UPDATE usage_months SET used = 6, version = 6 WHERE user_id = $person;
INSERT INTO outbox (id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload)
SELECT gen_random_uuid(), topic, aggregate, aggregate_seq + n, type, subject, occurred_at,
  payload || jsonb_build_object('used', n + 1)
FROM outbox CROSS JOIN generate_series(1, 5) AS n WHERE type = 'usage.metered'`;
const NOT_ANNOUNCED = `UPDATE usage_months SET used = 2, version = 2 WHERE user_id = $person`;
const NOT_COUNTED = `DELETE FROM usage_months WHERE user_id = $person`;
const ONE_ADDRESS = `
ALTER TABLE users DROP CONSTRAINT users_email_key_key; UPDATE users SET email_key = 'one@example.com'`;
const TWO_LIVE = `DROP INDEX refresh_tokens_live; UPDATE refresh_tokens SET parent_id = NULL; ${SECOND_TOKEN}`;
const TWO_SUCCESSORS = `DROP INDEX refresh_tokens_live; ${SECOND_TOKEN}; UPDATE refresh_tokens SET revoked_at = now()`;

it.each<[string, string, string | null]>([
  ['nothing', 'SELECT 1', null],
  ['a fourth habit', FOURTH_HABIT, 'somebody without Premium has more active habits than their plan allows'],
  ['a fourth habit of somebody who had Premium', `${FOURTH_HABIT}; ${PREMIUM_ONCE}`, null],
  ['a fourth habit, archived', `${FOURTH_HABIT}; ${ARCHIVED}`, null],
  ['a sixth analysis on Free', SIX_ANALYSES, 'a quota is passed'],
  ['an analysis that was counted and not announced', NOT_ANNOUNCED, 'a counter is not what its events say'],
  ['an analysis that was announced and not counted', NOT_COUNTED, 'a counter is not what its events say'],
  ['one address with two accounts', ONE_ADDRESS, 'two accounts have one address'],
  ['two live tokens in one family', TWO_LIVE, 'a family has more than one live refresh token'],
  ['a token with two successors', TWO_SUCCESSORS, 'a used refresh token has more than one successor'],
])('the audit of %s', async (_, statements, offence) => {
  await runner.query(statements.replaceAll('$person', `'${planted.id}'`));
  const found = await audit(runner);
  expect(found.map(({ promise, what }) => `${promise}: ${what}`)).toEqual(offence ? [`P6: ${offence}`] : []);
});
