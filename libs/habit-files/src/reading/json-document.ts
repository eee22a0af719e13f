import { decoded } from './texts';
import { expectAtMost, UnreadableFile, type ReadLimits } from './unreadable-file';

export type Json = Readonly<Record<string, unknown>>;

interface Range {
  readonly from: number;
  readonly to: number;
}

const DEEPEST = 32;
const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT, COMMA] = [...'"\\[]{},'].map((sign) =>
  sign.charCodeAt(0),
);

/**
 * A JSON document whose lists of objects are parsed item by item: parsed at once, a document of many logs would be in memory as a text and
 * as objects, three times its size and more.
 */
export class JsonDocument {
  private constructor(
    /** An object in a list stands for an item: `item` parses it. */
    readonly members: Json | readonly unknown[],
    private readonly bytes: Uint8Array,
    private readonly items: readonly Range[],
  ) {}

  /** @throws UnreadableFile */
  static of(bytes: Uint8Array, limits: ReadLimits): JsonDocument {
    const items = itemsOf(bytes, limits);
    const parts: Uint8Array[] = [];
    let at = 0;
    items.forEach(({ from, to }, item) => {
      parts.push(bytes.subarray(at, from), Buffer.from(`{"item":${item}}`));
      at = to;
    });
    const members = parsed(Buffer.concat([...parts, bytes.subarray(at)]));
    if (isObject(members) || Array.isArray(members)) return new JsonDocument(members, bytes, items);
    throw noHabits();
  }

  /**
   * @param given of a list: what is no object is returned as it is
   * @throws UnreadableFile
   */
  item(given: unknown): unknown {
    if (!isObject(given)) return given;
    const { from, to } = this.items[given['item'] as number]!;
    return parsed(this.bytes.subarray(from, to));
  }
}

/** Of a log, with those of its lists. */
const VALUES_OF_A_LOG = 30;

/** Before anything is made of it: ten megabytes of brackets, or of numbers, become hundreds of them. */
function itemsOf(bytes: Uint8Array, limits: ReadLimits): Range[] {
  const most = 10_000 + 4 * (limits.habits + limits.logs);
  const mostValues = 10_000 + VALUES_OF_A_LOG * (limits.habits + limits.logs);
  const items: Range[] = [];
  let depth = 0;
  let containers = 0;
  let commas = 0;
  /** Of the outermost object in a list, such as a habit. */
  let from: number | undefined;
  let itemDepth = 0;
  const isList: boolean[] = [];
  let inText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inText) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inText = false;
    } else if (byte === QUOTE) inText = true;
    else if (byte === COMMA) commas++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      containers++;
      if (++depth > DEEPEST)
        throw new UnreadableFile('json_broken', 'The file is not JSON of ours: it is nested too deeply.');
      if (from === undefined && byte === OPEN_OBJECT && isList[depth - 1]) [from, itemDepth] = [at, depth];
      isList[depth] = byte === OPEN_LIST;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      if (from !== undefined && depth === itemDepth) {
        items.push({ from, to: at + 1 });
        from = undefined;
      }
      depth--;
    }
  }
  expectAtMost(most, containers, 'too_many_rows', 'lists and objects');
  expectAtMost(mostValues, commas, 'too_many_rows', 'values');
  return items;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoded(bytes, { fatal: true }));
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    if (!(error instanceof SyntaxError)) throw new UnreadableFile('encoding_not_utf8', 'The JSON is not UTF-8.');
    throw new UnreadableFile('json_broken', 'The file is not JSON: it breaks off, or has something in a wrong place.');
  }
}

export function noHabits(): UnreadableFile {
  return new UnreadableFile('json_without_habits', 'The JSON is not an object with a list "habits".');
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a member says nothing. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}
