import { setImmediate as nextTurn } from 'node:timers/promises';

const MAX_ROWS = 64;
/** A statement costs as much as its next ten rows, so under load it is worth waiting for a few more. */
const GATHER_MS = 3;
/** A statement that fails after so long has met a database that hangs: so would the next one. */
const HUNG_MS = 1_000;
/** SQLSTATE classes that one bad row can cause: data, constraint, conflict with another transaction. */
const ROW_ERRORS = /^(22|23|40)/;

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Turns concurrent writes into few statements: while one runs the next ones gather, up to 64, and then until as many wait as
 * it had, for three milliseconds at most.
 * Each promise settles after the commit of its own row. When a batch fails because of one row, its rows go singly;
 * not when it met a lock, which each of them might meet again while all others wait. When the database hangs, those who
 * waited for the statement are refused with it: nobody waits for two of them.
 */
export class Batcher<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private running = false;
  private lastRows = 0;
  private enough: (() => void) | undefined;

  /** @param write one statement for all items; its results are in the order of the items */
  constructor(private readonly write: (items: Item[]) => Promise<Result[]>) {}

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.running) void this.drain();
      else if (this.waiting.length >= this.lastRows) this.enough?.();
    });
  }

  private async drain(): Promise<void> {
    this.running = true;
    // One turn of the loop lets requests that were read together be written together.
    await nextTurn();
    while (this.waiting.length > 0) {
      if (this.waiting.length < this.lastRows) await this.gather();
      const batch = this.waiting.splice(0, MAX_ROWS);
      this.lastRows = batch.length;
      await this.writeAll(batch);
    }
    this.running = false;
  }

  /** Until as many rows wait as the last statement had, or the time is over. */
  private gather(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.enough?.(), GATHER_MS);
      this.enough = () => {
        clearTimeout(timer);
        this.enough = undefined;
        resolve();
      };
    });
  }

  private async writeAll(batch: Waiting<Item, Result>[]): Promise<void> {
    const begun = performance.now();
    try {
      const results = await this.write(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index]!));
    } catch (error) {
      if (batch.length > 1 && ROW_ERRORS.test(String((error as { code?: string }).code))) {
        for (const one of batch) await this.writeAll([one]);
      } else {
        const hung = performance.now() - begun > HUNG_MS;
        for (const { reject } of [...batch, ...(hung ? this.waiting.splice(0) : [])]) reject(error);
      }
    }
  }
}

/** Column, PostgreSQL type, and how to take the value from an item. */
export type InputColumn<Item> = readonly [
  name: string,
  type: 'bigint' | 'boolean' | 'bytea' | 'integer' | 'smallint' | 'text' | 'timestamptz' | 'uuid',
  value: (item: Item) => string | number | boolean | Date | Buffer | null,
];

/** Items as a relation that a statement can read from: any number of them is one parameter, a JSON array. */
export function inputRows<Item>(columns: readonly InputColumn<Item>[]) {
  const members = columns.map(([name, , value]) => [name.replaceAll('"', ''), value] as const);
  return {
    rows: `SELECT * FROM json_to_recordset($1) AS input (${columns.map(([name, type]) => `${name} ${type}`).join(', ')})`,
    values: (items: readonly Item[]): [string] => [
      JSON.stringify(
        items.map((item) => Object.fromEntries(members.map(([name, value]) => [name, asJson(value(item))]))),
      ),
    ],
  };
}

/** Half of a pair: no text of PostgreSQL holds it. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

function asJson(value: ReturnType<InputColumn<never>[2]>): unknown {
  if (typeof value === 'string') return value.replace(LONE_SURROGATE, '\ufffd');
  return Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value;
}
