import type { JsonSchema } from '@evenkeel/contracts';
import fc from 'fast-check';
import type { ReadDocument } from './documented-operation.fixture';

const ODD_CHARACTERS = ['é', '漢', '🙂', '\u00a0', '\u2028', '\n', '"', '\\', '%', '<', ' '];
const CHARACTER = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_CHARACTERS) },
);
/** A text or a list without a limit of its own gets no longer than this. */
const LONG = 30;
const OFFSETS = ['Z', '+02:00', '-11:30'];

/** Values by the schemas of a document: what it allows, its bounds first. */
export class SchemaValues {
  constructor(private readonly document: ReadDocument) {}

  of(given: JsonSchema): fc.Arbitrary<unknown> {
    const schema = this.document.resolved(given);
    const { anyOf, oneOf, enum: words } = schema;
    const [all] = (schema as { allOf?: JsonSchema[] }).allOf ?? [];
    if (all) return this.of(all);
    const choice = anyOf ?? oneOf;
    if (choice) return fc.oneof(...choice.map((one) => this.of(one)));
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (words) return fc.constantFrom(...words);
    const types = [schema.type ?? (schema.properties ? 'object' : 'any')].flat();
    return fc.oneof(...types.map((type) => this.ofType(type, schema)));
  }

  private ofType(type: string, schema: JsonSchema): fc.Arbitrary<unknown> {
    switch (type) {
      case 'string':
        return textOf(schema);
      case 'integer':
        return integerOf(schema);
      case 'number':
        return fc.oneof(integerOf(schema), doubleOf(schema));
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array':
        return this.listOf(schema);
      case 'object':
        return this.objectOf(schema);
      default:
        return fc.jsonValue({ maxDepth: 2 });
    }
  }

  private listOf({ items = {}, minItems = 0, maxItems }: JsonSchema): fc.Arbitrary<unknown> {
    const item = this.of(items);
    const most = maxItems ?? minItems + 3;
    const short = fc.array(item, { minLength: minItems, maxLength: Math.min(most, minItems + 3) });
    if (maxItems === undefined || maxItems > 25) return short;
    const full = fc.array(item, { minLength: maxItems, maxLength: maxItems });
    return fc.oneof({ weight: 8, arbitrary: short }, { weight: 1, arbitrary: full });
  }

  private objectOf({ properties = {}, required = [], additionalProperties }: JsonSchema): fc.Arbitrary<unknown> {
    const members = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, this.of(schema)]));
    const known = fc.record(members, { requiredKeys: required.filter((name) => name in properties) });
    if (additionalProperties === false) return known;
    const more = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 });
    const open = fc.tuple(known, more).map(([object, others]) => ({ ...others, ...(object as object) }));
    return fc.oneof({ weight: 5, arbitrary: known }, { weight: 1, arbitrary: open });
  }
}

function textOf({ format, pattern, minLength = 0, maxLength }: JsonSchema): fc.Arbitrary<string> {
  const text =
    FORMATTED[format ?? '']?.() ?? (pattern === undefined ? undefined : fc.stringMatching(new RegExp(pattern)));
  const fits = (one: string): boolean => [...one].length >= minLength && [...one].length <= (maxLength ?? Infinity);
  if (text) return text.filter(fits);
  const most = maxLength ?? minLength + LONG;
  const sized = (from: number, to: number) =>
    fc.string({ unit: CHARACTER, minLength: from, maxLength: to, size: 'max' });
  return fc.oneof(
    { weight: 6, arbitrary: sized(minLength, Math.min(most, minLength + LONG)) },
    { weight: 1, arbitrary: sized(minLength, minLength) },
    { weight: 1, arbitrary: sized(most, most) },
  );
}

const FORMATTED: Readonly<Record<string, () => fc.Arbitrary<string>>> = {
  uuid: () => fc.uuid(),
  date: () => someDate().map((date) => date.toISOString().slice(0, 10)),
  'date-time': () =>
    fc.tuple(someDate(), fc.constantFrom(...OFFSETS)).map(([date, offset]) => date.toISOString().replace('Z', offset)),
  email: () => fc.emailAddress(),
  uri: () => fc.webUrl(),
};

function someDate(): fc.Arbitrary<Date> {
  return fc.date({ min: new Date('1999-12-31'), max: new Date('2101-01-01'), noInvalidDate: true });
}

function integerOf({ minimum, maximum }: JsonSchema): fc.Arbitrary<number> {
  const [min, max] = [Math.ceil(minimum ?? -(2 ** 31)), Math.floor(maximum ?? 2 ** 31)];
  const stated = [minimum, maximum].filter((bound) => bound !== undefined && Number.isInteger(bound)) as number[];
  return fc.oneof(fc.integer({ min, max }), fc.constantFrom(...stated, min));
}

function doubleOf({ minimum = -1e9, maximum = 1e9 }: JsonSchema): fc.Arbitrary<number> {
  const double = fc.double({ min: minimum, max: maximum, noNaN: true });
  // JSON has no negative zero.
  return fc.oneof(double, fc.constantFrom(minimum, maximum)).map((one) => (one === 0 ? 0 : one));
}

type Place = readonly (string | number)[];

/** Values that few fields accept, or none. */
const ODD_VALUES: readonly unknown[] = [
  ...[null, true, 0, -1, 0.5, 1e308, -1e308, 2 ** 53, 2 ** 31, [], {}, [[]], ''],
  ' ',
  '\0',
  '\ud800',
  'x'.repeat(5_000),
  '2025-02-30T00:00:00Z',
  '0x',
  'null',
  '-0',
  '1e3',
];
const ODD_NAMES = ['extra', '__proto__', 'constructor', 'hasOwnProperty', 'toString', '', 'a\0b', 'x'.repeat(300)];

/** A value with one thing changed: replaced, left out or added. Most do not fit the schema any more, some do. */
export function altered(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const change = fc.record({
    at: fc.nat(),
    kind: fc.constantFrom('replace', 'replace', 'remove', 'add', 'repeat'),
    odd: fc.constantFrom(...ODD_VALUES),
    name: fc.constantFrom(...ODD_NAMES),
  });
  return fc.tuple(values, change).map(([value, { at, kind, odd, name }]) => {
    const copy = structuredClone(value);
    const places = placesIn(copy);
    const place = places[at % places.length]!;
    if (place.length === 0) return kind === 'add' ? added(copy, name, odd) : odd;
    const holder = place.slice(0, -1).reduce<unknown>((node, key) => (node as never)[key], copy) as Record<
      string,
      unknown
    >;
    const key = place.at(-1)! as string;
    if (kind === 'replace') holder[key] = odd;
    else if (kind === 'remove') delete holder[key];
    else if (kind === 'repeat') holder[key] = Array(40).fill(holder[key]);
    else holder[key] = added(holder[key], name, odd);
    return copy;
  });
}

/** Every place of a value, the whole of it first. */
function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [[]];
  const below = Object.entries(value).flatMap(([key, inner]) => placesIn(inner).map((place) => [key, ...place]));
  return [[], ...below];
}

function added(value: unknown, name: string, odd: unknown): unknown {
  if (Array.isArray(value)) return [...(value as unknown[]), odd];
  if (typeof value !== 'object' || value === null) return odd;
  // Not by assignment, which would set the prototype.
  return Object.defineProperty({ ...value }, name, { value: odd, enumerable: true });
}
