import { type Environment, InvalidConfig, loadConfig, newEs256Key } from '@evenkeel/platform/config';
import { AccountsConfig } from './accounts.config';

const needed = {
  DATABASE_URL: 'postgres://localhost/accounts',
  JWT_KEYS: newEs256Key('test'),
  REFRESH_TOKEN_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
};
const load = (settings: Environment) => loadConfig(AccountsConfig, { ...needed, ...settings });

it.each<[Environment, boolean, boolean]>([
  [{}, true, false],
  [{ SMTP_URL: 'none', NODE_ENV: 'production' }, false, false],
  [{ SMTP_URL: 'smtps://user:secret@mail.example?requireTLS=true' }, false, true],
])('with %j mails are shown: %p, sent: %p', (settings, shows, sends) => {
  expect(load(settings)).toMatchObject({ showsMails: shows, sendsMails: sends });
});

it.each<[Environment, string]>([
  [{ NODE_ENV: 'production' }, 'SMTP_URL must be an smtp:// or smtps:// address that logs nothing, or the word none'],
  [{ SMTP_URL: 'https://mail.example' }, 'SMTP_URL'],
  [{ SMTP_URL: 'smtp://mail.example?requireTLS=true&debug=true' }, 'SMTP_URL'],
  [{ MAIL_FROM: 'a@example.com, b@example.com' }, 'MAIL_FROM'],
  [{ APP_LINK_BASE: 'https://app.example/#/' }, 'APP_LINK_BASE'],
  [{ NODE_ENV: 'production', SMTP_URL: 'none', ARGON2_PASSES: '1' }, 'ARGON2_PASSES must be at least 2'],
])('refuses %j', (settings, message) => {
  expect(() => load(settings)).toThrow(InvalidConfig);
  expect(() => load(settings)).toThrow(message);
});
