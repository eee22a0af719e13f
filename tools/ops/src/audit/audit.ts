import { EVENT_CHECKS, offencesIn, type Offence } from '@evenkeel/platform/testing';
import type { DataSource } from 'typeorm';
import { PAYMENT_CHECKS } from './payment-checks';
import { PEOPLE_CHECKS } from './people-checks';

/**
 * Whatever breaks a promise of the product in the database of one service. For the end of a test, when nothing is at work
 * any more; not for a database whose outbox was trimmed.
 * @returns nothing when all is well
 * @throws Error when the database has no audit views
 */
export function audit(dataSource: Pick<DataSource, 'query'>): Promise<Offence[]> {
  return offencesIn(dataSource, [...PAYMENT_CHECKS, ...PEOPLE_CHECKS, ...EVENT_CHECKS]);
}
