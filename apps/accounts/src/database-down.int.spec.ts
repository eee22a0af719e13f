import { DatabaseLine } from '@evenkeel/platform/testing';
import { Accounts } from './accounts.fixture';

let accounts: Accounts;
let line: DatabaseLine;
beforeAll(async () => {
  accounts = await Accounts.start({}, async (url) => (line = await DatabaseLine.to(url)).url);
});
afterAll(() => accounts.close());

it('a request that a lock outlasts is told to wait, and works afterwards', async () => {
  const person = await accounts.person();
  const { email, password } = person;
  const login = () => accounts.ask('POST', '/v1/auth/login', { body: { email, password } });
  const runner = accounts.database.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query('LOCK TABLE sessions IN EXCLUSIVE MODE');
  const { status, headers, body } = await login();
  await runner.rollbackTransaction();
  await runner.release();
  expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1']);
  expect((await login()).status).toBe(200);
});

it('a request that meets no database is told to wait', async () => {
  const person = await accounts.person();
  line.cut();
  const { status, body } = await accounts.ask('GET', '/v1/auth/me', { token: person.token });
  expect([status, body.error]).toEqual([503, 'service_unavailable']);
});
