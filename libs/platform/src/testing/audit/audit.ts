import type { DataSource } from 'typeorm';
import { CREDIT_CHECKS } from './credit-checks';
import { EVENT_CHECKS } from './event-checks';
import { PAYMENT_CHECKS } from './payment-checks';
import { ROLLUP_CHECKS } from './rollup-checks';

const CHECKS: readonly PromiseCheck[] = [...PAYMENT_CHECKS, ...CREDIT_CHECKS, ...EVENT_CHECKS, ...ROLLUP_CHECKS];

/** Something that a promise says cannot be. */
export interface Offence {
  /** `P1` to `P10`. */
  promise: string;
  /** What is wrong with it, in words. */
  what: string;
  /** The row, or the part of it that shows the offence. */
  row: Record<string, unknown>;
}

/**
 * Asks the read-only views of schema `audit` for whatever breaks a promise: one query per promise, of those whose views
 * this database has. For the end of a test, when nothing is at work any more; not for a database whose outbox was trimmed.
 * @returns nothing when all is well
 * @throws Error when the database has no audit views at all
 */
export async function audit(dataSource: Pick<DataSource, 'query'>): Promise<Offence[]> {
  const views = await auditViews(dataSource);
  if (views.size === 0) throw new Error('This database has no views in schema audit.');
  const offences: Offence[] = [];
  for (const { promise, sql } of CHECKS.filter(({ reads }) => isThere(reads, views))) {
    const found = await dataSource.query<Omit<Offence, 'promise'>[]>(sql);
    offences.push(...found.map((offence) => ({ promise, ...offence })));
  }
  return offences;
}

function isThere(reads: PromiseCheck['reads'], views: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  return Object.entries(reads).every(([view, columns]) => columns.every((column) => views.get(view)?.has(column)));
}

/** Columns of each view. */
async function auditViews(dataSource: Pick<DataSource, 'query'>): Promise<Map<string, Set<string>>> {
  const rows = await dataSource.query<{ view: string; columns: string[] }[]>(
    `SELECT table_name AS view, array_agg(column_name::text) AS columns
     FROM information_schema.columns WHERE table_schema = 'audit' GROUP BY table_name`,
  );
  return new Map(rows.map(({ view, columns }) => [view, new Set(columns)]));
}

/** The query that shows what breaks one promise, as far as one database can say. */
export interface PromiseCheck {
  /** Name of the promise, as in the reliability document: `P1` to `P10`. */
  promise: string;
  /** Views of schema `audit` that it reads, with the columns that tell a service's own from another's. */
  reads: Readonly<Record<string, readonly string[]>>;
  /** Selects `what` and `row`, one of each for what should not be. */
  sql: string;
}
