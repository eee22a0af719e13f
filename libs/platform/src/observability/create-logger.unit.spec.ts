import { HTTP_CONVENTIONS } from '@evenkeel/contracts';
import { Logger } from '@nestjs/common';
import { IsString } from 'class-validator';
import { loadConfig, Secret } from '../config';
import { createLogger } from './create-logger';
import { NestPinoLogger } from './nest-pino-logger';

const texts: string[] = [];
const fields = () => JSON.parse(texts.at(-1)!) as Record<string, unknown>;
const logger = createLogger('shop', {
  level: 'debug',
  secretFields: HTTP_CONVENTIONS.secretHeaders,
  destination: { write: (line: string) => void texts.push(line) },
});

it('a line has level, time, service and message, and is one line', () => {
  logger.warn({ items: 3, agent: 'a\r\n{"level":"fatal"}' }, 'nearly\r\nsold out');
  const time: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
  expect(fields()).toMatchObject({ level: 'warn', time, service: 'shop', items: 3, message: 'nearly\r\nsold out' });
  expect(texts.at(-1)!.trimEnd()).not.toMatch(/[\r\n]/);
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
])('%s is never written, also one level down', (name) => {
  logger.info({ [name]: 'me@example.org', headers: { [name]: 'me@example.org' } }, 'request');
  expect(texts.at(-1)).not.toContain('me@example.org');
});

it('secrets of the settings are cut wherever they are', () => {
  class ShopConfig {
    @Secret() @IsString() TILL_TOKEN!: string;
  }
  const secret = 'the "word" of the till';
  loadConfig(ShopConfig, { TILL_TOKEN: secret });
  const cause = new Error(`no ${secret}`);
  const err = new Error(`${secret} is wrong`, { cause });
  for (const said of [{ err }, { a: { b: [{ c: secret }] } }, { [secret]: 1 }, { error: cause }]) {
    logger.child({ till: secret }).warn(said, `at ${secret}`);
    expect(texts.at(-1)).not.toContain('word');
    expect(fields()).toMatchObject({ till: '[redacted]', message: 'at [redacted]' });
  }
});

it('equal mail addresses stay recognisable as equal', () => {
  const hashOf = (email: string) => {
    logger.info({ email }, 'x');
    return fields().email;
  };
  expect(hashOf('Me@example.org ')).toBe(hashOf('me@example.org'));
  expect(hashOf('me@example.org')).not.toBe(hashOf('you@example.org'));
});

it('an error and its cause are described without what hangs on them', () => {
  const driver = Object.assign(new Error('duplicate key'), { code: '23505', parameters: ['s3cret'] });
  logger.error({ err: new Error('not saved', { cause: driver }) }, 'failed');
  expect(fields().err).toMatchObject({ message: 'not saved', cause: { message: 'duplicate key', code: '23505' } });
  expect(texts.at(-1)).not.toContain('s3cret');
});

it('the lines of Nest are as ours: facts beside the message, and its own chatter for a search', () => {
  texts.length = 0;
  Logger.overrideLogger(new NestPinoLogger(logger));
  const nest = new Logger('till');
  nest.log('mapped');
  nest.log({ message: 'reconciled', matched: 3 });
  nest.warn({ message: 'not written yet', error: new Error('gone'), token: 'secret' });
  nest.error(new Error('broken'));
  nest.error('broken', 'the stack');
  expect(texts.map((text) => JSON.parse(text) as object)).toMatchObject([
    { level: 'debug', context: 'till', message: 'mapped' },
    { level: 'info', message: 'reconciled', matched: 3 },
    { level: 'warn', message: 'not written yet', error: { message: 'gone' }, token: '[redacted]' },
    { level: 'error', err: { message: 'broken' } },
    { level: 'error', message: 'broken', stack: 'the stack' },
  ]);
});
