import { Logger } from '@nestjs/common';
import { ReportingConfig } from '../reporting.config';
import { LimitsModule } from './limits.module';

function warningsOf(settings: Partial<ReportingConfig>): unknown[] {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  new LimitsModule(Object.assign(new ReportingConfig(), settings)).onModuleInit();
  const said = warn.mock.calls.map(([line]: unknown[]) => line);
  warn.mockRestore();
  return said;
}

describe('multiplied limits', () => {
  it('are warned of in production', () =>
    expect(warningsOf({ NODE_ENV: 'production', RATE_LIMIT_SCALE: 10 })).toEqual([
      { message: 'RATE_LIMIT_SCALE is not 1', RATE_LIMIT_SCALE: 10 },
    ]));

  it('are nothing to speak of elsewhere, nor are limits as they are', () => {
    expect(warningsOf({ RATE_LIMIT_SCALE: 10 })).toEqual([]);
    expect(warningsOf({ NODE_ENV: 'production', RATE_LIMIT_SCALE: 1 })).toEqual([]);
  });
});
