import { HTTP_CONVENTIONS } from '@evenkeel/contracts';
import { IsString } from 'class-validator';
import { loadConfig, Secret } from '../config';
import { createLogger } from './create-logger';

function lastLine(write: (logger: ReturnType<typeof createLogger>) => void): {
  text: string;
  fields: Record<string, unknown>;
} {
  let text = '';
  const { secretHeaders: secretFields } = HTTP_CONVENTIONS;
  write(createLogger('shop', { secretFields, destination: { write: (line: string) => void (text = line) } }));
  return { text, fields: JSON.parse(text) as Record<string, unknown> };
}

describe('createLogger', () => {
  it('writes level, time, service and message', () => {
    const { fields } = lastLine((logger) => logger.warn({ items: 3 }, 'nearly sold out'));
    const time: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    expect(fields).toEqual({ level: 'warn', time, service: 'shop', items: 3, message: 'nearly sold out' });
  });

  it.each([
    'authorization',
    'cookie',
    'x-payment',
    'payment-signature',
    'x-agent-credit',
    'x-admin-token',
    'stripe-signature',
    'password',
    'token',
    'refresh_token',
    'note',
    'email',
  ])('cuts %s, also one level down', (name) => {
    const secret = 'me@example.org';
    const { text } = lastLine((logger) => logger.info({ [name]: secret, headers: { [name]: secret } }, 'request'));
    expect(text).not.toContain(secret);
  });

  it('cuts secrets of the settings at every place', () => {
    class ShopConfig {
      @Secret() @IsString() TILL_TOKEN!: string;
    }
    const secret = 'the "word" of the till';
    loadConfig(ShopConfig, { TILL_TOKEN: secret });
    const cause = new Error(`no ${secret}`);
    const err = new Error(`${secret} is wrong`, { cause });
    for (const said of [{ err }, { a: { b: [{ c: secret }] } }, { [secret]: 1 }, { error: cause }]) {
      const { text, fields } = lastLine((logger) => logger.child({ till: secret }).warn(said, `at ${secret}`));
      expect(text).not.toContain('word');
      expect(fields).toMatchObject({ till: '[redacted]', message: 'at [redacted]' });
    }
  });

  it('keeps equal addresses recognisable', () => {
    const hashOf = (email: string) => lastLine((logger) => logger.info({ email }, 'x')).fields.email;
    expect(hashOf('Me@example.org ')).toBe(hashOf('me@example.org'));
    expect(hashOf('me@example.org')).not.toBe(hashOf('you@example.org'));
  });

  it('keeps one event on one line', () => {
    const { text } = lastLine((logger) => logger.info({ agent: 'a\r\n{"level":"fatal"}' }, 'line\r\nbreak'));
    expect(text.trimEnd()).not.toMatch(/[\r\n]/);
  });

  it('describes an error and its cause without what hangs on it', () => {
    const driver = Object.assign(new Error('duplicate key'), { code: '23505', parameters: ['s3cret'] });
    const error = new Error('not saved', { cause: driver });
    const { text, fields } = lastLine((logger) => logger.error({ err: error }, 'failed'));
    expect(fields.err).toMatchObject({ message: 'not saved', cause: { message: 'duplicate key', code: '23505' } });
    expect(text).not.toContain('s3cret');
  });
});
