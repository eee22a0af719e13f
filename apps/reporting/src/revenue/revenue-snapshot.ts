import { setTimeout as sleep } from 'node:timers/promises';
import { Clock, DomainError } from '@evenkeel/kernel';
import { ServiceUnavailable } from '@evenkeel/platform/http';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Projection } from '@evenkeel/platform/messaging';
import { Freshness } from '../projection/freshness';
import { LEDGER_PROJECTION } from '../projection/project-ledger.consumer';
import type { AsOfView } from './figures/figures';

/** A database that is slow at each of many statements is not waited for any longer. */
const ANSWERED_WITHIN_MS = 4_000;

/** The wallets of a year of a million payments are put together without a file on the disk. */
const MEMORY_OF_A_SORT = '64MB';

/** An answer without the two members that say how fresh it is. */
export type Unstamped<Answer extends AsOfView> = Omit<Answer, keyof AsOfView>;

/**
 * How an answer to a query is read, of one state of the database.
 * @throws ValidationFailed for a period that ends after today
 */
export type Read<Query, Answer extends AsOfView> = (
  tx: EntityManager,
  now: Date,
  query: Query,
) => Promise<Unstamped<Answer>>;

type Work<Answer> = (tx: EntityManager, now: Date) => Promise<Answer>;

/** Reads an answer of several statements from one state of the database, so that its figures agree. */
@Injectable()
export class RevenueSnapshot {
  constructor(
    private readonly dataSource: DataSource,
    private readonly freshness: Freshness,
    private readonly clock: Clock,
  ) {}

  /**
   * @param projections what the answer is made of
   * @returns the answer, and last how fresh it is
   * @throws ServiceUnavailable while the database does not answer, or not in time; and the refusals of the work
   */
  async read<Answer extends object>(
    work: Work<Answer>,
    projections: readonly Projection[] = [LEDGER_PROJECTION],
  ): Promise<Answer & AsOfView> {
    const waiting = new AbortController();
    const limit = sleep(ANSWERED_WITHIN_MS, undefined, waiting).then(() => {
      throw new Error(`the database took longer than ${ANSWERED_WITHIN_MS} ms`);
    });
    try {
      return await Promise.race([this.readAll(work, projections, waiting.signal), limit]);
    } catch (error) {
      if (error instanceof DomainError) throw error;
      new Logger('revenue').warn({ message: 'the figures could not be read', error });
      throw new ServiceUnavailable();
    } finally {
      waiting.abort();
      limit.catch(() => undefined);
    }
  }

  private async readAll<Answer extends object>(
    work: Work<Answer>,
    projections: readonly Projection[],
    over: AbortSignal,
  ): Promise<Answer & AsOfView> {
    // Read before the figures: they may be fresher than it, never older.
    const { asOf, lagSeconds } = await this.freshness.read(...projections.map(({ subscription }) => subscription));
    const answer = await this.dataSource.transaction('REPEATABLE READ', async (tx) => {
      await tx.query('SET TRANSACTION READ ONLY');
      await tx.query(`SET LOCAL work_mem = '${MEMORY_OF_A_SORT}'`);
      return work(until(over, tx), this.clock.now());
    });
    return { ...answer, as_of: asOf.toISOString(), lag_seconds: lagSeconds };
  }
}

/** Reads whose request has ended are skipped. */
function until(over: AbortSignal, tx: EntityManager): EntityManager {
  const query = (...asked: Parameters<EntityManager['query']>) => {
    over.throwIfAborted();
    return tx.query(...asked);
  };
  return Object.create(tx, { query: { value: query } }) as EntityManager;
}
