import { Logger } from '@nestjs/common';
import { createLogger } from './create-logger';
import { NestPinoLogger } from './nest-pino-logger';

const lines: Record<string, unknown>[] = [];
const destination = { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) };

beforeAll(() => {
  Logger.overrideLogger(new NestPinoLogger(createLogger('shop', { level: 'trace', destination })));
});
beforeEach(() => void (lines.length = 0));

it('turns the lines of Nest into ours', () => {
  const logger = new Logger('RoutesResolver');
  logger.log('mapped');
  logger.error(new Error('broken'));
  logger.error('broken', 'the stack');
  expect(lines).toMatchObject([
    { level: 'debug', context: 'RoutesResolver', message: 'mapped' },
    { level: 'error', context: 'RoutesResolver', err: { message: 'broken' } },
    { level: 'error', context: 'RoutesResolver', message: 'broken', stack: 'the stack' },
  ]);
});

it('shows what a feature says, and keeps the chatter of Nest for a search', () => {
  new Logger('reconciliation').log({ message: 'reconciled', matched: 3 });
  expect(lines).toMatchObject([{ level: 'info', message: 'reconciled', matched: 3 }]);
});

it('keeps what a feature says beside its message', () => {
  new Logger('payments').warn({
    message: 'not written yet',
    paymentId: 'p1',
    error: new Error('gone'),
    token: 'secret',
  });
  expect(lines).toMatchObject([
    {
      level: 'warn',
      context: 'payments',
      message: 'not written yet',
      paymentId: 'p1',
      error: { message: 'gone' },
      token: '[redacted]',
    },
  ]);
});
