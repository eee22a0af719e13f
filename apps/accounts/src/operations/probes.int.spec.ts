import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, newEs256Key } from '@evenkeel/platform/config';
import type { Finding } from '@evenkeel/platform/service';
import { freePort } from '@evenkeel/services/free-port';
import { SMTPServer } from 'smtp-server';
import { AccountsConfig } from '../accounts.config';
import { probes } from './probes';

let server: SMTPServer;
let folder: string;
/** The mails that arrive. */
let envelopes = 0;
beforeAll(async () => {
  server = new SMTPServer({
    authMethods: ['PLAIN'],
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) => {
      const known = username === 'mailer' && password === 'right-password';
      done(known ? null : new Error('no'), known ? { user: username } : undefined);
    },
    onMailFrom: (_address, _session, done) => {
      envelopes++;
      done();
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  folder = mkdtempSync(join(tmpdir(), 'doctor-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await new Promise<void>((resolve) => server.close(resolve));
});

const port = () => (server.server.address() as AddressInfo).port;

const mailsAt = (server: string) => ({ SMTP_URL: `smtp://${server}` });

async function found(settings: Record<string, string>): Promise<Finding[]> {
  const config = loadConfig(AccountsConfig, {
    DATABASE_URL: 'postgres://localhost/accounts',
    JWT_KEYS: newEs256Key('test'),
    REFRESH_TOKEN_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    MAIL_FROM: 'Evenkeel <no-reply@evenkeel.example>',
    SMTP_URL: `smtp://mailer:right-password@127.0.0.1:${port()}`,
    ...settings,
  });
  return (await Promise.all(probes(config).map(({ examine }) => examine(5_000)))).flat();
}

it('logs in and sends nothing', async () => {
  writeFileSync(join(folder, 'breached'), `${'0'.repeat(40)}:7\n`);
  expect(await found({ BREACH_LIST_FILE: join(folder, 'breached') })).toEqual([
    { subject: 'smtp', outcome: 'ok', says: expect.stringContaining('no-reply@evenkeel.example') },
    { subject: 'passwords', outcome: 'ok', says: expect.any(String) },
  ]);
  expect(envelopes).toBe(0);
});

it.each<[string, () => object | Promise<object>, RegExp]>([
  ['a bad password', () => mailsAt(`mailer:wrong-password@127.0.0.1:${port()}`), /refuses user and password.*SMTP_URL/],
  ['a server that is not there', async () => mailsAt(`127.0.0.1:${await freePort()}`), /is not there.*SMTP_URL/],
  ['a name that is not known', () => mailsAt('mail.invalid'), /not known here.*SMTP_URL/],
  ['TLS of a plain server', () => ({ SMTP_URL: `smtps://127.0.0.1:${port()}` }), /does not speak TLS.*SMTP_URL/],
  ['TLS that the server does not offer', () => mailsAt(`127.0.0.1:${port()}?requireTLS=true`), /SMTP_URL/],
  ['a sender that nobody set', () => ({ MAIL_FROM: '' }), /MAIL_FROM is Evenkeel <no-reply@localhost>/],
  ['a list of passwords that is not there', () => ({ BREACH_LIST_FILE: join(folder, 'none') }), /^BREACH_LIST_FILE/],
])('names %s', async (_, settings, text) => {
  const wrong = (await found((await settings()) as Record<string, string>)).filter(
    ({ outcome }) => outcome === 'wrong',
  );
  expect(wrong.map(({ says }) => says)).toEqual([expect.stringMatching(text)]);
  expect(wrong[0]!.says).not.toContain('-password');
});

it('says what is not configured', async () => {
  for (const SMTP_URL of ['', 'none']) expect((await found({ SMTP_URL }))[0]).toMatchObject({ outcome: 'off' });
});
