import { Clock } from '@evenkeel/kernel';
import { ServiceUnavailable } from '@evenkeel/platform/http';
import { Freshness, type FreshnessReading } from '@evenkeel/platform/messaging';
import { Injectable, Logger } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { LEDGER_PROJECTION } from '../../projection/project-ledger.consumer';
import { SUBSCRIPTIONS_PROJECTION } from '../../projection/subscriptions/project-subscriptions.consumer';
import { AsOfView } from '../figures/figures';
import { HealthView, hourOf, readHealth } from './read-health';

/** The streams that answers are made of. */
const PARTS = { calls: LEDGER_PROJECTION.subscription, subscriptions: SUBSCRIPTIONS_PROJECTION.subscription } as const;
type PartName = keyof typeof PARTS;
const PART_NAMES = Object.keys(PARTS) as PartName[];

export class RevenueChangesView extends AsOfView {
  @ApiProperty({
    enum: PART_NAMES,
    isArray: true,
    description: '`calls`: every answer but that of subscriptions; both at the beginning, and in a new hour',
  })
  changed!: PartName[];
  @ApiProperty() health!: HealthView;
  @ApiProperty({ description: 'query `since` of the next question; opaque' }) version!: string;
}

/** The hour and how many events are applied: `2026-01-31T14.4302.57`. */
type Version = readonly [hour: string, ...applied: string[]];

/** As far as the hour. */
const HOUR_LENGTH = 13;

/** Whether anything can have changed since an earlier look: two rows, and what cannot wait where it has. */
@Injectable()
export class ReadChanges {
  constructor(
    private readonly dataSource: DataSource,
    private readonly freshness: Freshness,
    private readonly clock: Clock,
  ) {}

  /**
   * @param since the version of an earlier answer; without one all is new
   * @returns null for the changes when there are none
   * @throws ServiceUnavailable
   */
  async execute(
    since: string | undefined,
  ): Promise<{ changes: RevenueChangesView | null; freshness: FreshnessReading }> {
    try {
      const freshness = await this.freshness.read(...Object.values(PARTS));
      const now = this.clock.now();
      const version = await this.version(now);
      const changed = changedParts(since?.split('.') ?? [], version);
      if (changed.length === 0) return { changes: null, freshness };
      const { asOf, lagSeconds } = freshness;
      const health = await readHealth(this.dataSource, now);
      const asOfMembers = { as_of: asOf.toISOString(), lag_seconds: lagSeconds };
      return { changes: { changed, health, version: version.join('.'), ...asOfMembers }, freshness };
    } catch (error) {
      new Logger('revenue').warn({ message: 'whether anything changed could not be read', error });
      throw new ServiceUnavailable();
    }
  }

  private async version(now: Date): Promise<Version> {
    const rows = await this.dataSource.query<{ subscription: string; applied: string }[]>(
      'SELECT subscription, applied FROM progress',
    );
    const appliedOf = (part: PartName) => rows.find(({ subscription }) => subscription === PARTS[part])?.applied ?? '0';
    return [hourOf(now).toISOString().slice(0, HOUR_LENGTH), ...PART_NAMES.map(appliedOf)];
  }
}

function changedParts(before: readonly string[], [hour, ...applied]: Version): PartName[] {
  // Windows move at midnight and what is usual with the hour, without any event.
  const isNewHour = before[0] !== hour;
  return PART_NAMES.filter((_, place) => isNewHour || before[place + 1] !== applied[place]);
}
