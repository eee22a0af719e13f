import type { DataSource } from 'typeorm';
import { PAYMENT_CHECKS } from './payment-checks';
import { PEOPLE_CHECKS } from './people-checks';
import { EVENT_CHECKS } from './promise-checks';

const CHECKS = [...PAYMENT_CHECKS, ...PEOPLE_CHECKS, ...EVENT_CHECKS];

/** Something that a promise says cannot be. */
export interface Offence {
  /** `P1` to `P10`. */
  promise: string;
  /** The fault, as a sentence. */
  what: string;
  /** The row, or the part of it that shows the offence. */
  row: Record<string, unknown>;
}

/**
 * Whatever breaks a promise of the product in the database of one service, by those checks whose views in schema `audit` it
 * has. For the end of a test, when nothing is at work any more; not for a database whose outbox was trimmed.
 * @returns nothing when all is well
 * @throws Error when the database has no audit views
 */
export async function audit(dataSource: Pick<DataSource, 'query'>): Promise<Offence[]> {
  const views = await auditViews(dataSource);
  if (views.size === 0) throw new Error('This database has no views in schema audit.');
  const offences: Offence[] = [];
  for (const { promise, reads, sql } of CHECKS) {
    const isThere = Object.entries(reads).every(([view, columns]) => columns.every((one) => views.get(view)?.has(one)));
    const found = isThere ? await dataSource.query<Omit<Offence, 'promise'>[]>(sql) : [];
    offences.push(...found.map((offence) => ({ promise, ...offence })));
  }
  return offences;
}

/** Columns of each view. */
async function auditViews(dataSource: Pick<DataSource, 'query'>): Promise<Map<string, Set<string>>> {
  const rows = await dataSource.query<{ view: string; columns: string[] }[]>(
    `SELECT table_name AS view, array_agg(column_name::text) AS columns
     FROM information_schema.columns WHERE table_schema = 'audit' GROUP BY table_name`,
  );
  return new Map(rows.map(({ view, columns }) => [view, new Set(columns)]));
}
