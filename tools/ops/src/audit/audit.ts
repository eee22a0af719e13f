import type { DataSource } from 'typeorm';
import { ACCOUNT_CHECKS } from './account-checks';
import { PAYMENT_CHECKS } from './payment-checks';
import { EVENT_CHECKS, offencesIn, type Offence } from './promise-checks';
import { SUBSCRIPTION_CHECKS } from './subscription-checks';

const CHECKS = [...PAYMENT_CHECKS, ...ACCOUNT_CHECKS, ...SUBSCRIPTION_CHECKS, ...EVENT_CHECKS];

/**
 * Whatever breaks a promise of the product in the database of one service. For the end of a test, when nothing is at work
 * any more; not for a database whose outbox was trimmed.
 * @returns nothing when all is well
 * @throws Error when the database has no audit views
 */
export function audit(dataSource: Pick<DataSource, 'query'>): Promise<Offence[]> {
  return offencesIn(dataSource, CHECKS);
}

export type { Offence };
