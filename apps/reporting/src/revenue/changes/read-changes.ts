import { ApiProperty } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import { LEDGER_PROJECTION } from '../../projection/project-ledger.consumer';
import { SUBSCRIPTIONS_PROJECTION } from '../../projection/subscriptions/project-subscriptions.consumer';
import { AsOfView, Is } from '../figures/figures';
import type { Unstamped } from '../revenue-snapshot';
import { HealthView, hourOf, readHealth } from './read-health';

/** The streams that answers are made of. */
export const PARTS = { calls: LEDGER_PROJECTION, subscriptions: SUBSCRIPTIONS_PROJECTION };
type PartName = keyof typeof PARTS;
const PART_NAMES = Object.keys(PARTS) as PartName[];

export class RevenueChangesView extends AsOfView {
  @ApiProperty({
    enum: PART_NAMES,
    isArray: true,
    description: '`calls`: every answer but that of subscriptions; both at the beginning, and in a new hour',
  })
  changed!: PartName[];
  @Is.member() health!: HealthView;
  @Is.member('query `since` of the next question; opaque') version!: string;
}

/** As far as the hour. */
const HOUR_LENGTH = 13;

/**
 * Whether anything can have changed since an earlier look: two rows, and what cannot wait where it has.
 * @param since the version of an earlier answer; without one all is new
 * @returns null when nothing has
 */
export async function readChanges(
  tx: EntityManager,
  now: Date,
  since = '',
): Promise<Unstamped<RevenueChangesView> | null> {
  const rows = await tx.query<{ subscription: string; applied: string }[]>(
    'SELECT subscription, applied FROM progress',
  );
  const applied = PART_NAMES.map(
    (part) => rows.find(({ subscription }) => subscription === PARTS[part].subscription)?.applied ?? '0',
  );
  // The hour and how many events are applied: `2026-01-31T14.4302.57`.
  const version = [hourOf(now).toISOString().slice(0, HOUR_LENGTH), ...applied];
  const before = since.split('.');
  // Windows move at midnight and what is usual with the hour, without any event.
  const isNewHour = before[0] !== version[0];
  const changed = PART_NAMES.filter((_, place) => isNewHour || before[place + 1] !== applied[place]);
  return changed.length === 0 ? null : { changed, health: await readHealth(tx, now), version: version.join('.') };
}
