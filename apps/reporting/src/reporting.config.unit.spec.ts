import { InvalidConfig, loadConfig, type Environment } from '@evenkeel/platform/config';
import { ReportingConfig } from './reporting.config';

const load = (settings: Environment) =>
  loadConfig(ReportingConfig, { DATABASE_URL: 'postgres://localhost/reporting', ...settings });

it('needs a database and nothing else', () => {
  expect(load({})).toMatchObject({
    PORT: 3003,
    INTERNAL_PORT: 9090,
    WORKER_INTERNAL_PORT: 9091,
    MAX_BODY_BYTES: 131_072,
  });
  expect(load({}).ADMIN_TOKEN).toBeUndefined();
  expect(() => load({ DATABASE_URL: undefined })).toThrow(InvalidConfig);
});

it.each([
  ['ADMIN_TOKEN', 'x'.repeat(23)],
  ['KAFKA_BROKERS', 'kafka'],
  ['REDIS_URL', 'http://redis'],
  ['RATE_ADMIN', '120'],
  ['COST_MICROS', '0.4'],
  ['CRASH_AT', 'reporting:settled'],
  ['CRASH_AT', 'applied_once'],
])('refuses %s=%s, and names it without the value', (name, value) => {
  expect(() => load({ [name]: value })).toThrow(new RegExp(`- ${name}`));
  expect(() => load({ [name]: value })).not.toThrow(new RegExp(`${value}`));
});

it('takes a token of 24 characters', () => {
  expect(load({ ADMIN_TOKEN: 'x'.repeat(24) }).ADMIN_TOKEN).toHaveLength(24);
});

it('accepts a crash point, but not in production', () => {
  expect(load({ CRASH_AT: 'reporting:applied' }).CRASH_AT).toBe('applied');
  expect(() => load({ CRASH_AT: 'reporting:applied', NODE_ENV: 'production' })).toThrow('CRASH_AT must not be set');
});
