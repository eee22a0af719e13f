import type { Client } from 'pg';

/** A subscription whose tables are made of its events. */
export interface KnownSubscription {
  /** `<app>`, or `<app>.<stream>`. */
  subscription: string;
  /** The keys of its events, in the plural. */
  aggregates: string;
}

/** Every subscription that makes tables of events. */
export const SUBSCRIPTIONS: readonly KnownSubscription[] = [
  { subscription: 'reporting', aggregates: 'wallets' },
  { subscription: 'reporting.subscriptions', aggregates: 'users' },
  { subscription: 'accounts', aggregates: 'users' },
  { subscription: 'billing', aggregates: 'users' },
];

/** The app of a subscription, as its scripts and its file of settings are named. */
export function serviceOf(subscription: string): string {
  return subscription.split('.')[0]!;
}

/** Of a service that reads no events, as the gateway is. */
const UNDEFINED_TABLE = '42P01';

/** @throws Error in the database of another service, which has none of its events */
export async function assertDatabaseOf(database: Pick<Client, 'query'>, subscription: string): Promise<void> {
  const asked = database.query('SELECT FROM progress WHERE subscription = $1', [subscription]);
  const { rowCount } = await asked.catch((error: { code?: string }) => {
    if (error.code === UNDEFINED_TABLE) return { rowCount: 0 };
    throw error;
  });
  if (rowCount === 0) throw new Error(`DATABASE_URL is not the database of ${serviceOf(subscription)}.`);
}
