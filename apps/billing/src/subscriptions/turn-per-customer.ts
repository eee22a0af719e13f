import { Injectable } from '@nestjs/common';

/** The caller that waited for it has gone: it was not begun, and comes again. */
export class NobodyWaits extends Error {}

/**
 * One piece of work at a time for each customer. It waits here and not in the database, where each that waits would hold a
 * connection: many events of one customer keep nobody else waiting.
 */
@Injectable()
export class TurnPerCustomer {
  private readonly last = new Map<string, Promise<unknown>>();

  /** @throws NobodyWaits when its turn comes and it is given up */
  async take<Result>(key: string, work: () => Promise<Result>, isGivenUp: () => boolean): Promise<Result> {
    const before = this.last.get(key);
    const turn = (async () => {
      await before;
      if (isGivenUp()) throw new NobodyWaits();
      return work();
    })();
    const ended = turn.catch(() => undefined);
    this.last.set(key, ended);
    try {
      return await turn;
    } finally {
      if (this.last.get(key) === ended) this.last.delete(key);
    }
  }
}
