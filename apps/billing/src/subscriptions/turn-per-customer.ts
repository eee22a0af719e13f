import { Injectable } from '@nestjs/common';
import { NotInTime } from '../provider/stripe-api';

/**
 * One piece of work at a time for each customer. It waits here and not in the database, where each that waits would hold a
 * connection: many events of one customer keep nobody else waiting.
 */
@Injectable()
export class TurnPerCustomer {
  private readonly last = new Map<string, Promise<unknown>>();

  /** @throws NotInTime when its turn comes and its caller has given it up: it was not begun, and comes again */
  async take<Result>(key: string, work: () => Promise<Result>, isGivenUp: () => boolean): Promise<Result> {
    const before = this.last.get(key);
    const turn = (async () => {
      await before;
      if (isGivenUp()) throw new NotInTime();
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
