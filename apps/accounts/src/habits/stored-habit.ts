import type { HabitTerms } from '@evenkeel/scoring';

export const CADENCES = ['DAILY', 'WEEKLY', 'CUSTOM'] as const;
export type Cadence = (typeof CADENCES)[number];

/** A row of `habits`. */
export interface StoredHabit {
  id: string;
  /** Unique for the user: what a device calls it. Null where none has named it. */
  clientId: string | null;
  name: string;
  description: string | null;
  category: string | null;
  cadence: Cadence;
  targetPerWeek: number;
  /** Bit 0 Monday to bit 6 Sunday; 0 means no fixed days. */
  targetDaysMask: number;
  startDate: Date;
  /** Local date of `startDate`, YYYY-MM-DD, as it was when that was set. */
  startDay: string;
  /** Whether the person said when the habit starts; otherwise it is the moment of its creation. */
  startGiven: boolean;
  /** Where its owner wants to see it among the others. */
  order: number | null;
  /** `#rrggbb`, small letters. */
  color: string | null;
  archivedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Columns of `habits` as a `StoredHabit`; `h` in FROM. */
export const HABIT_COLUMNS = `
  h.id, CASE WHEN h.client_id_given THEN h.client_id END AS "clientId", h.sort_order AS "order", h.color, h.name, h.description, h.category, h.cadence, h.target_per_week AS "targetPerWeek",
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
