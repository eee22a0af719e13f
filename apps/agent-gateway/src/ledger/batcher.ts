import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

const MAX_ROWS = 64;
/** A statement costs as much as its next ten rows, so under load it is worth waiting for a few more. */
const GATHER_MS = 1;
/** SQLSTATE classes that one bad row can cause: data, constraint, conflict with another transaction. */
const ROW_ERRORS = /^(22|23|40)/;

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Turns concurrent writes into few statements: while one runs, and for a millisecond after one that was not for a single
 * row, the next ones gather, up to 64.
 * Each promise settles after the commit of its own row. When a batch fails because of one row, its rows go singly;
 * not when it met a lock, which each of them might meet again while all others wait.
 */
export class Batcher<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private running = false;
  private lastRows = 0;

  /** @param write one statement for all items; its results are in the order of the items */
  constructor(private readonly write: (items: Item[]) => Promise<Result[]>) {}

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.running) void this.drain();
    });
  }

  private async drain(): Promise<void> {
    this.running = true;
    // One turn of the loop lets requests that were read together be written together.
    await nextTurn();
    while (this.waiting.length > 0) {
      if (this.lastRows > 1 && this.waiting.length < MAX_ROWS) await sleep(GATHER_MS);
      const batch = this.waiting.splice(0, MAX_ROWS);
      this.lastRows = batch.length;
      await this.writeAll(batch);
    }
    this.running = false;
  }

  private async writeAll(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.write(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index]!));
    } catch (error) {
      if (batch.length > 1 && ROW_ERRORS.test(String((error as { code?: string }).code))) {
        for (const one of batch) await this.writeAll([one]);
      } else {
        for (const { reject } of batch) reject(error);
      }
    }
  }
}
