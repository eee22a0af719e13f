import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MAX_HABITS_ASKED } from './analysis.dto';

/** The habits that a request is about. */
export interface Scope {
  /** In the order of the answer. */
  habitIds: string[];
  /** Whether active habits were left out. */
  truncated: boolean;
}

/** One look into the index for each habit. */
const ACTIVE = `
  SELECT h.id FROM habits h CROSS JOIN LATERAL (
    SELECT max(occurred_at) AS at FROM habit_logs WHERE user_id = $1 AND habit_id = h.id
  ) AS last
  WHERE h.user_id = $1 AND h.archived_at IS NULL
  ORDER BY last.at DESC NULLS LAST, h.created_at, h.id LIMIT $2`;

/** Which habits a request is about: those that it names, else the active ones, most recently logged first. */
@Injectable()
export class FindScope {
  /**
   * @param named archived ones too
   * @returns null when one of them is missing, or somebody else's
   */
  async execute(on: EntityManager, userId: string, named: readonly string[] | undefined): Promise<Scope | null> {
    if (named) {
      const sql = 'SELECT id FROM habits WHERE user_id = $1 AND id = ANY ($2)';
      const found = await on.query<object[]>(sql, [userId, named]);
      return found.length < named.length ? null : { habitIds: [...named], truncated: false };
    }
    const rows = await on.query<{ id: string }[]>(ACTIVE, [userId, MAX_HABITS_ASKED + 1]);
    const habitIds = rows.slice(0, MAX_HABITS_ASKED).map(({ id }) => id);
    return { habitIds, truncated: rows.length > habitIds.length };
  }
}
