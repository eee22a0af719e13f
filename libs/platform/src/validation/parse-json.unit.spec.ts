import fc from 'fast-check';
import { MAX_DEPTH, MAX_NODES, parseJson } from './parse-json';

const refusal = (json: string) => {
  try {
    expect(parseJson(Buffer.from(json))).toEqual(JSON.parse(json));
  } catch (error) {
    return error as { code: string; details?: { issues: { path: string; code: string }[] } };
  }
  return undefined;
};
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const listOf = (values: number) =>
  `[${Array(values - 1)
    .fill('"],["')
    .join()}]`;
const objectOf = (values: number) => `{${Array.from({ length: values - 1 }, (_, at) => `"${at}":null`).join()}}`;

it.each([
  ['levels', nested, MAX_DEPTH],
  ['values of lists', listOf, MAX_NODES],
  ['values of objects', objectOf, MAX_NODES],
])('%s have a limit', (_, json, limit) => {
  expect(refusal(json(limit))).toBeUndefined();
  expect(refusal(json(limit + 1))).toMatchObject({ code: 'malformed_json' });
});

it('of legal JSON all is taken but what breaks what comes after, however it is written', () => {
  const letters = ['a', 'ж', '\\n', '\\"', '\\\\', '\\u0000', '\\u0041', '\\ud83d', '\\uD83D\\uDE00', '\\udfff', '😀'];
  const keys = ['__proto__', 'constructor', 'hasOwnProperty', '\\u005f', '_proto__', '\\u0063onstructor'];
  const string = fc.array(fc.constantFrom(...letters, ...keys), { maxLength: 3 }).map((all) => `"${all.join('')}"`);
  const digits = fc.integer({ min: 1, max: 320 }).map((count) => '9'.repeat(count));
  const exponent = fc.constantFrom('', 'e1', 'E+99', 'e300', 'e308', 'e309', 'e-400', 'e+0001', 'e0400');
  const number = fc.tuple(fc.constantFrom('', '-'), digits, fc.constantFrom('', '.5'), exponent);
  const scalar = [string, number.map((all) => all.join('')), fc.constantFrom('true', 'null', ' 1e5 ')];
  const { text } = fc.letrec<Record<'text' | 'list' | 'members', string>>((tie) => ({
    text: fc.oneof({ maxDepth: 3 }, ...scalar, tie('list'), tie('members')),
    list: fc.array(tie('text'), { maxLength: 4 }).map((items) => `[${items.join(' ,')}]`),
    members: fc
      .array(fc.tuple(string, tie('text')), { maxLength: 4 })
      .map((all) => `{${all.map((one) => one.join(' : ')).join()}}`),
  }));
  fc.assert(
    fc.property(text, (json) => {
      expect(refusal(json)?.code).toBe(holdsUnsafePart(JSON.parse(json)) ? 'validation_failed' : undefined);
    }),
    { numRuns: sized(2_000, 20_000) },
  );
});

it('all of it is named, a hundred times at most, below keys that are not too long', () => {
  const issues = (json: string) => refusal(json)!.details!.issues.map(({ path, code }) => [path, code]);
  expect(issues('{"a":"\\u0000","b":{"__proto__":1},"c":[1e999]}')).toEqual([
    ['/a', 'bad_format'],
    ['/b/__proto__', 'unknown_property'],
    ['/c/0', 'out_of_range'],
  ]);
  const many = Array(9_000).fill('"\\u0000"').join();
  expect(refusal(`[${many}]`)).toMatchObject({ details: { more_issues: 80 } });
  expect(issues(`{"a":{"${'k'.repeat(60_000)}":[${many}]}}`)).toEqual(Array(20).fill(['/a', 'bad_format']));
  expect(issues(`{"${'~'.repeat(200)}":"\\u0000"}`)).toEqual([[`/${'~0'.repeat(200)}`, 'bad_format']]);
});

/** The rule as it is written, slowly. */
function holdsUnsafePart(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value === 'string') return /[\0\p{Surrogate}]/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  const isForbidden = (key: string) => ['__proto__', 'constructor', 'hasOwnProperty'].includes(key);
  return Object.entries(value).some(([key, part]) => isForbidden(key) || holdsUnsafePart(key) || holdsUnsafePart(part));
}
