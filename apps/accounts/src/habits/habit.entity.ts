import type { HabitTerms } from '@evenkeel/scoring';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const CADENCES = ['DAILY', 'WEEKLY', 'CUSTOM'] as const;
export type Cadence = (typeof CADENCES)[number];

@Entity({ name: 'habits' })
export class Habit {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'user_id' }) userId!: string;
  /** Unique for the user: what a device calls it, or the operation that created it. */
  @Column('uuid', { name: 'client_id', nullable: true }) clientId!: string | null;
  /** Whether a device has named it. */
  @Column('boolean', { name: 'client_id_given' }) clientIdGiven!: boolean;
  /** Its id in the file that it was imported from. */
  @Column('text', { name: 'source_id', nullable: true }) sourceId!: string | null;
  @Column('text') name!: string;
  @Column('text', { nullable: true }) description!: string | null;
  @Column('text', { nullable: true }) category!: string | null;
  @Column('text') cadence!: Cadence;
  @Column('smallint', { name: 'target_per_week' }) targetPerWeek!: number;
  /** Bit 0 Monday to bit 6 Sunday; 0 means no fixed days. */
  @Column('smallint', { name: 'target_days_mask' }) targetDaysMask!: number;
  @Column('timestamptz', { name: 'start_date' }) startDate!: Date;
  /** Local date of `startDate`, YYYY-MM-DD, as it was when that was set. */
  @Column('date', { name: 'start_day' }) startDay!: string;
  /** Whether the person said when the habit starts; otherwise it is the moment of its creation. */
  @Column('boolean', { name: 'start_given' }) startGiven!: boolean;
  /** Where its owner wants to see it among the others. */
  @Column('integer', { name: 'sort_order', nullable: true }) order!: number | null;
  /** `#rrggbb`, small letters. */
  @Column('text', { nullable: true }) color!: string | null;
  /** Question and interval are those of the app that it came from. */
  @Column('text', { nullable: true }) question!: string | null;
  @Column('smallint', { name: 'interval_times', nullable: true }) intervalTimes!: number | null;
  @Column('smallint', { name: 'interval_days', nullable: true }) intervalDays!: number | null;
  @Column('timestamptz', { name: 'archived_at', nullable: true }) archivedAt!: Date | null;
  /** Equal to `archivedAt` while the cap of the plan alone has archived it. */
  @Column('timestamptz', { name: 'archived_over_cap_at', nullable: true }) archivedOverCapAt!: Date | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;
  @Column('bigint', { name: 'change_number' }) changeNumber!: string;
}

/** A habit as its owner sees it; `clientId` is null where no device has named it. */
export type StoredHabit = Pick<
  Habit,
  | ('id' | 'clientId' | 'name' | 'description' | 'category' | 'cadence' | 'targetPerWeek' | 'targetDaysMask')
  | ('startDate' | 'startDay' | 'startGiven' | 'order' | 'color' | 'archivedAt' | 'createdAt' | 'updatedAt')
>;

/** Columns of `habits` as a `StoredHabit`; `h` in FROM. */
export const HABIT_COLUMNS = `
  h.id, CASE WHEN h.client_id_given THEN h.client_id END AS "clientId", h.sort_order AS "order", h.color, h.name,
  h.description, h.category, h.cadence, h.target_per_week AS "targetPerWeek",
  h.target_days_mask AS "targetDaysMask", h.start_date AS "startDate", h.start_day::text AS "startDay",
  h.start_given AS "startGiven", h.archived_at AS "archivedAt", h.created_at AS "createdAt", h.updated_at AS "updatedAt"`;

const EARLIEST_DAY = '2000-01-01';

/** A habit as the engine takes it. A start that nobody gave is only the latest day on which the history begins. */
export function termsOf({ startDay, startGiven, ...habit }: StoredHabit): HabitTerms {
  const { name, cadence, targetPerWeek, targetDaysMask } = habit;
  // An older import may have left an earlier one: numbers would be computed for each day of millennia.
  const start = startDay < EARLIEST_DAY ? EARLIEST_DAY : startDay;
  // No copy comes first: an object that begins as one gets a hidden class of its own in the old space.
  return {
    name,
    cadence,
    targetPerWeek,
    targetDaysMask,
    ...(startGiven ? { startDate: start } : { createdOn: start }),
  };
}
