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
export type InputColumn<Item> = {
  [Type in TypeName]: readonly [name: string, type: Type, value: (item: Item) => ValueOf<Type> | null];
}[TypeName];

/**
 * Items as a relation that a statement can read from. Two texts for one statement, so that both can be prepared:
 * `one` for a single item, which plans cheaper, `many` for any number of them. Values travel in PostgreSQL's own format.
 */
export function inputRows<Item>(columns: readonly InputColumn<Item>[]) {
  const names = columns.map(([name]) => name).join(', ');
  const single = columns.map(([name, type], index) => `$${index + 1}::${type} AS ${name}`).join(', ');
  const arrays = columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');
  return {
    one: `SELECT ${single}`,
    many: `SELECT ${names} FROM unnest(${arrays}) AS input (${names})`,
    values: (items: readonly Item[]): (Buffer | null)[] =>
      items.length === 1
        ? columns.map(([, type, value]) => binaryValue(type, value(items[0]!)))
        : columns.map(([, type, value]) => binaryArray(type, items.map<unknown>(value))),
  };
}

/** A type of PostgreSQL in the binary format of its protocol. */
interface BinaryType<Value> {
  /** Its number in `pg_type`, the same in every database. */
  oid: number;
  size: (value: Value) => number;
  write: (value: Value, bytes: Buffer, start: number) => void;
}

/** Timestamps count from the year 2000. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
/** Positions of the two digits of each byte in the text of a UUID. */
const UUID_DIGITS = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const UUID_HYPHENS = [8, 13, 18, 23];
const UUID_LENGTH = 36;
const ARRAY_HEAD_BYTES = 20;
const LENGTH_BYTES = 4;
/** The length that means null. */
const NULL_LENGTH = -1;

const TYPES = {
  boolean: fixed<boolean>(16, 1, (value, bytes, start) => bytes.writeUInt8(Number(value), start)),
  bytea: { oid: 17, size: ({ length }: Buffer) => length, write: copy },
  bigint: fixed<number>(20, 8, (value, bytes, start) => bytes.writeBigInt64BE(BigInt(value), start)),
  smallint: fixed<number>(21, 2, (value, bytes, start) => bytes.writeInt16BE(value, start)),
  integer: fixed<number>(23, 4, (value, bytes, start) => bytes.writeInt32BE(value, start)),
  text: { oid: 25, size: (text: string) => Buffer.byteLength(text), write: writeText },
  timestamptz: fixed<Date>(1184, 8, (value, bytes, start) =>
    bytes.writeBigInt64BE(BigInt(value.getTime() - EPOCH_MS) * 1_000n, start),
  ),
  uuid: fixed<string>(2950, 16, writeUuid),
};

type TypeName = keyof typeof TYPES;
type ValueOf<Type extends TypeName> = Parameters<(typeof TYPES)[Type]['write']>[0];

/** A value that its type cannot hold. Refused here as PostgreSQL would refuse it, so that a batch knows it for a bad row. */
class DataException extends Error {
  /** SQLSTATE. */
  readonly code = '22000';
}

/** @throws DataException */
export function binaryValue(type: TypeName, value: unknown): Buffer | null {
  if (value === null) return null;
  const bytes = Buffer.allocUnsafe(typeNamed(type).size(value));
  put(type, value, bytes, 0);
  return bytes;
}

/**
 * Values as one array. As text each of them would be escaped here and read letter by letter there, which is most of what
 * a parameter costs.
 * @throws DataException
 */
export function binaryArray(type: TypeName, values: readonly unknown[]): Buffer {
  const { oid, size } = typeNamed(type);
  const lengths = values.map((value) => (value === null ? NULL_LENGTH : size(value)));
  const total = lengths.reduce((sum, length) => sum + LENGTH_BYTES + Math.max(0, length), ARRAY_HEAD_BYTES);
  const bytes = Buffer.allocUnsafe(total);
  const [dimensions, hasNulls, firstIndex] = [1, Number(lengths.includes(NULL_LENGTH)), 1];
  let end = 0;
  for (const word of [dimensions, hasNulls, oid, values.length, firstIndex]) end = bytes.writeInt32BE(word, end);
  values.forEach((value, index) => {
    const length = lengths[index]!;
    end = bytes.writeInt32BE(length, end);
    if (length === NULL_LENGTH) return;
    put(type, value, bytes, end);
    end += length;
  });
  return bytes;
}

function put(type: TypeName, value: unknown, bytes: Buffer, start: number): void {
  try {
    typeNamed(type).write(value, bytes, start);
  } catch (cause) {
    throw new DataException(`${String(value)} is no ${type}`, { cause });
  }
}

function typeNamed(name: TypeName): BinaryType<unknown> {
  return TYPES[name] as BinaryType<unknown>;
}

function fixed<Value>(oid: number, length: number, write: BinaryType<Value>['write']): BinaryType<Value> {
  return { oid, size: () => length, write };
}

function copy(value: Buffer, bytes: Buffer, start: number): void {
  value.copy(bytes, start);
}

function writeText(value: string, bytes: Buffer, start: number): void {
  bytes.write(value, start);
}

function writeUuid(value: string, bytes: Buffer, start: number): void {
  if (value.length !== UUID_LENGTH || UUID_HYPHENS.some((at) => value[at] !== '-')) throw new TypeError('no UUID');
  for (let index = 0; index < UUID_DIGITS.length; index++) {
    const at = UUID_DIGITS[index]!;
    bytes[start + index] = hexDigit(value.charCodeAt(at)) * 16 + hexDigit(value.charCodeAt(at + 1));
  }
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  if (letter >= 0x61 && letter <= 0x66) return letter - 0x57;
  throw new TypeError('no hexadecimal digit');
}
