import { type Environment, InvalidConfig, loadConfig, newEs256Key } from '@evenkeel/platform/config';
import { AccountsConfig } from './accounts.config';

const needed = {
  DATABASE_URL: 'postgres://localhost/accounts',
  JWT_KEYS: newEs256Key('test'),
  REFRESH_TOKEN_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
};
const load = (settings: Environment) => loadConfig(AccountsConfig, { ...needed, ...settings });

it('shows mails unless a server is named, and sends none by its setting', () => {
  const modes = [{}, { SMTP_URL: 'none' }, { SMTP_URL: 'smtps://user:secret@mail.example?requireTLS=true' }].map(load);
  expect(modes.map(({ showsMails, sendsMails }) => [showsMails, sendsMails])).toEqual([
    [true, false],
    [false, false],
    [false, true],
  ]);
});

it('requires the setting in production', () => {
  const inProduction = (SMTP_URL?: string) => load({ NODE_ENV: 'production', SMTP_URL });
  expect(() => inProduction()).toThrow(/- SMTP_URL must be an smtp:\/\/ or smtps:\/\/ address .*, or the word none/);
  expect(inProduction('none').sendsMails).toBe(false);
  expect(inProduction('smtp://mail').sendsMails).toBe(true);
});

it.each([
  ['SMTP_URL', 'https://mail.example'],
  ['SMTP_URL', 'off'],
  ['SMTP_URL', 'smtp://mail.example?requireTLS=true&debug=true'],
  ['MAIL_FROM', 'Evenkeel'],
  ['MAIL_FROM', 'a@example.com, b@example.com'],
  ['APP_LINK_BASE', 'https://app.example'],
  ['APP_LINK_BASE', 'https://app.example/#/'],
  ['RATE_MAIL_ACCOUNT', '3'],
])('refuses %s=%s', (name, value) => {
  expect(() => load({ [name]: value })).toThrow(InvalidConfig);
});
