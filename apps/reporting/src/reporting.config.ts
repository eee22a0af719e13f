import { IsCrashPoint, IsRate, scaled, Secret, ServiceConfig, type Rate } from '@evenkeel/platform/config';
import { CONSUMER_CRASH_POINTS, type ConsumerCrashPoint } from '@evenkeel/platform/messaging';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, Matches, Min, MinLength } from 'class-validator';

/** Everything reporting reads from the environment. Names carry their unit. */
export class ReportingConfig extends ServiceConfig {
  override PORT = 3003;
  @IsRate() RATE_ADMIN: Rate = { limit: 120, windowSeconds: 60 };
  /** Wrong tokens; they use up nothing of RATE_ADMIN. */
  @IsRate() RATE_ADMIN_GUESSES: Rate = { limit: 20, windowSeconds: 60 };
  @IsRate() RATE_DISCOVERY: Rate = { limit: 600, windowSeconds: 60 };

  /** The token that operators send; without it the admin API is not configured. */
  @Secret()
  @IsOptional()
  @MinLength(24, { message: '$property must have at least 24 characters' })
  ADMIN_TOKEN?: string;

  /** The settings of the gateway, shown in answers: micro-USD for each call, or a list `path=micros`. */
  @Matches(/^\d{1,12}$|^\/[^=,]+=\d{1,12}(,\/[^=,]+=\d{1,12})*$/, {
    message: '$property must be micro-USD, or a list path=micros',
  })
  COST_MICROS = '400';
  @Type(() => Number) @IsInt() @Min(0) COST_SETTLEMENT_MICROS = 0;

  /** For tests, as `reporting:<step>`: the process kills itself at this step. */
  @IsCrashPoint('reporting', CONSUMER_CRASH_POINTS) CRASH_AT?: ConsumerCrashPoint;

  get rates(): Record<'admin' | 'adminGuesses' | 'discovery', Rate> {
    return {
      admin: scaled(this.RATE_ADMIN, this.RATE_LIMIT_SCALE),
      adminGuesses: scaled(this.RATE_ADMIN_GUESSES, this.RATE_LIMIT_SCALE),
      discovery: scaled(this.RATE_DISCOVERY, this.RATE_LIMIT_SCALE),
    };
  }

  /** Attributed cost of one call without its settlement; 0 for a path that the list does not name. */
  callCostMicros(path: string): number {
    if (!this.COST_MICROS.includes('=')) return Number(this.COST_MICROS);
    const listed = this.COST_MICROS.split(',').find((entry) => entry.startsWith(`${path}=`));
    return Number(listed?.split('=')[1] ?? 0);
  }
}
