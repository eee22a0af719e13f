import { Clock } from '@evenkeel/kernel';
import { ServiceUnavailable } from '@evenkeel/platform/http';
import { Freshness, type FreshnessReading } from '@evenkeel/platform/projection';
import { Injectable, Logger } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { LEDGER_PROJECTION } from '../../projection/project-ledger.consumer';
import { SUBSCRIPTIONS_PROJECTION } from '../../projection/subscriptions/project-subscriptions.consumer';
import { AsOfView } from '../figures/figures';
import { dayOf } from '../figures/window';

/** What answers are made of. */
const PARTS = { calls: LEDGER_PROJECTION.subscription, subscriptions: SUBSCRIPTIONS_PROJECTION.subscription } as const;
type PartName = keyof typeof PARTS;
const PART_NAMES = Object.keys(PARTS) as PartName[];

export class RevenueChangesView extends AsOfView {
  @ApiProperty({
    ...{ enum: PART_NAMES, isArray: true },
    description: '`calls`: every answer but that of subscriptions; both at the beginning, and on a new UTC day',
  })
  changed!: PartName[];
  @ApiProperty({ description: 'query `since` of the next question; opaque' }) version!: string;
}

/** The day and how many events are applied: `2026-01-31.4302.57`. */
type Version = readonly [day: string, ...applied: string[]];

/** Whether anything can have changed since an earlier look: two rows, however many payments there are. */
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
      const version = await this.version();
      const changed = changedParts(since?.split('.') ?? [], version);
      const { asOf, lagSeconds } = freshness;
      const asOfMembers = { as_of: asOf.toISOString(), lag_seconds: lagSeconds };
      const changes = { changed, version: version.join('.'), ...asOfMembers };
      return { changes: changed.length > 0 ? changes : null, freshness };
    } catch (error) {
      new Logger('revenue').warn({ message: 'whether anything changed could not be read', error });
      throw new ServiceUnavailable();
    }
  }

  private async version(): Promise<Version> {
    const rows = await this.dataSource.query<{ subscription: string; applied: string }[]>(
      'SELECT subscription, applied FROM progress',
    );
    const appliedOf = (part: PartName) => rows.find(({ subscription }) => subscription === PARTS[part])?.applied ?? '0';
    return [dayOf(this.clock.now().getTime()), ...PART_NAMES.map(appliedOf)];
  }
}

function changedParts(before: readonly string[], [day, ...applied]: Version): PartName[] {
  // Windows move at midnight, without any event.
  const isNewDay = before[0] !== day;
  return PART_NAMES.filter((_, place) => isNewDay || before[place + 1] !== applied[place]);
}
