import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Client } from 'pg';

type Query = (this: Client, ...args: unknown[]) => unknown;

/** Longer than what is done between two statements, so that those which need no answer of each other meet. */
const ANSWER_LATER_MS = 50;

/**
 * Counts how often some work, or the one HTTP request that it sends to a server of this process, waits for PostgreSQL, one time after
 * the other: statements that are under way together are one round trip.
 */
export class RoundTrips {
  private readonly works = new AsyncLocalStorage<{ ended: number }>();
  private readonly query = (Client.prototype as unknown as { query: Query }).query;
  private present = { ended: 0 };

  constructor() {
    subscribe('http.server.request.start', this.begin);
    const { query, works } = this;
    Client.prototype.query = function counted(this: Client, ...args: unknown[]) {
      const work = works.getStore();
      if (!work) return query.apply(this, args);
      const trip = work.ended + 1;
      const ending = (answer: () => unknown): void => {
        setTimeout(() => {
          work.ended = Math.max(work.ended, trip);
          answer();
        }, ANSWER_LATER_MS);
      };
      const answered = args.at(-1);
      if (typeof answered === 'function') {
        const later = (...results: unknown[]) => ending(() => (answered as Query).apply(this, results));
        return query.apply(this, [...args.slice(0, -1), later]);
      }
      const answer = query.apply(this, args) as Promise<unknown>;
      return new Promise((resolve, reject) => {
        answer.then(
          (result) => ending(() => resolve(result)),
          (error: Error) => ending(() => reject(error)),
        );
      });
    } as typeof Client.prototype.query;
  }

  async of(work: () => Promise<unknown>): Promise<number> {
    const counted = (this.present = { ended: 0 });
    await this.works.run(counted, work);
    return counted.ended;
  }

  close(): void {
    unsubscribe('http.server.request.start', this.begin);
    Client.prototype.query = this.query as typeof Client.prototype.query;
  }

  private readonly begin = (): void => this.works.enterWith(this.present);
}
