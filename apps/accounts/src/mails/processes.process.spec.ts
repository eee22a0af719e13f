import { newEs256Key } from '@evenkeel/platform/config';
import { createTestDatabase, eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { ask } from '@evenkeel/platform/testing/service';
import { Program } from '@evenkeel/services/programs';
import { ENTITIES, MIGRATIONS } from '../database';
import { MailServer } from './mail-server.fixture';

jest.setTimeout(90_000);

const PASSWORDS = ['the first password of theirs', 'the second password of theirs'] as const;

let mails: MailServer;
let database: TestDatabase;
let settings: Record<string, string>;
let main: Program;
let url: string;
const programs: Program[] = [];

beforeAll(async () => {
  mails = await MailServer.start();
  database = await createTestDatabase({ name: 'accounts', entities: ENTITIES, migrations: MIGRATIONS });
  settings = {
    DATABASE_URL: database.url,
    SMTP_URL: mails.url,
    JWT_KEYS: newEs256Key('test'),
    RATE_LIMIT_SCALE: '1000',
    REFRESH_TOKEN_KEYS: `test:${Buffer.alloc(32, 5).toString('base64')}`,
    ARGON2_MEMORY_KIB: '8',
    ARGON2_PASSES: '1',
  };
  main = start('main');
  ({ url } = await main.ready());
});
afterAll(async () => {
  await Promise.all(programs.map((program) => program.stop()));
  await database.drop();
  await mails.stop();
});

function start(entry: 'main' | 'worker', more: Record<string, string> = {}): Program {
  const program = Program.service(`apps/accounts/src/${entry}.ts`, { ...settings, ...more });
  programs.push(program);
  return program;
}

const post = (path: string, body: object, token?: string) =>
  ask(`${url}/v1/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });

/** As if the worker that took them had been gone for long. */
const free = () => database.dataSource.query('UPDATE mails SET send_at = now()');

it('sends a mail again, with the same id, when the worker dies before its row is gone', async () => {
  const email = 'crash@example.com';
  expect((await post('register', { email, password: PASSWORDS[0] })).status).toBe(201);
  const dying = start('worker', { CRASH_AT: 'accounts:mail_sent' });
  expect((await dying.exit).signal).toBe('SIGKILL');
  expect(mails.to(email)).toHaveLength(1);
  await free();
  const worker = start('worker');
  await worker.ready();
  const again = await mails.next(email, 1);
  const [first] = mails.to(email);
  for (const name of ['message-id', 'date', 'subject']) expect(again.headers[name]).toBe(first!.headers[name]);
  expect([again.text, again.html]).toEqual([first!.text, first!.html]);
  await eventually(async () => (await database.dataSource.query<unknown[]>('SELECT 1 FROM mails')).length === 0);
  expect((await post('email/verify', { token: again.token! })).status).toBe(200);
  await worker.stop();
});
