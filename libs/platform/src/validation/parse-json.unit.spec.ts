import fc from 'fast-check';
import { MAX_DEPTH, MAX_NODES, parseJson } from './parse-json';

const parse = (text: string) => parseJson(Buffer.from(text));
const refusal = (bytes: Buffer | string) => {
  try {
    parseJson(Buffer.from(bytes as string));
  } catch (error) {
    return error as { code: string; message: string; details?: { issues: { path: string; code: string }[] } };
  }
  return undefined;
};
const issues = (text: string) => refusal(text)?.details?.issues.map(({ path, code }) => [path, code]);
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('what parseJson takes', () => {
  it('is what JSON.parse makes of it', () => {
    const text = fc.json({ maxDepth: 8, stringUnit: 'grapheme' }).filter((json) => !/\\u|__proto__/.test(json));
    fc.assert(fc.property(text, (json) => expect(parse(json)).toEqual(JSON.parse(json))));
  });
});

describe('the limits', () => {
  it('count levels', () => {
    expect(refusal(nested(MAX_DEPTH))).toBeUndefined();
    expect(refusal(nested(MAX_DEPTH + 1))).toMatchObject({ code: 'malformed_json' });
    expect(refusal(`"${'['.repeat(100)}"`)).toBeUndefined();
    expect(refusal(`[${'{"a":{}},'.repeat(100)}{}]`)).toBeUndefined();
  });

  it('count levels before anything is made of them: a megabyte of brackets would be 50 in memory', () =>
    expect(refusal('['.repeat(1_000_000))).toMatchObject({ message: 'The body is nested deeper than 32 levels.' }));

  it.each([
    [
      'scalars',
      (count: number) =>
        `[${Array(count - 1)
          .fill(1)
          .join()}]`,
    ],
    [
      'texts',
      (count: number) =>
        `[${Array(count - 1)
          .fill('",["')
          .join()}]`,
    ],
    [
      'empty lists',
      (count: number) =>
        `[${Array(count - 1)
          .fill('[ ]')
          .join()}]`,
    ],
    ['members', (count: number) => `{${Array.from({ length: count - 1 }, (_, i) => `"${i}":null`).join()}}`],
    [
      'an empty one at the end',
      (count: number) =>
        `[${Array(count - 2)
          .fill('true')
          .join()},{}]`,
    ],
  ])('count values: %s', (_, json) => {
    expect(refusal(json(MAX_NODES))).toBeUndefined();
    expect(refusal(json(MAX_NODES + 1))).toMatchObject({ code: 'malformed_json' });
  });
});

describe('legal JSON that is never accepted', () => {
  it('is all that is refused: whatever is written with escapes and exponents', () => {
    const piece = fc.constantFrom(
      ...['a', 'ж', '\\n', '\\"', '\\\\', '\\u0000', '\\u0041', '\\ud83d', '\\uD83D\\uDE00', '\\udfff', '😀'],
      ...[
        '__proto__',
        'constructor',
        'hasOwnProperty',
        '\\u005f',
        '_proto__',
        '\\u0063onstructor',
        'hasOwn\\u0050roperty',
      ],
    );
    const string = fc.array(piece, { maxLength: 3 }).map((pieces) => `"${pieces.join('')}"`);
    const digits = fc.integer({ min: 1, max: 320 }).map((count) => '9'.repeat(count));
    const exponent = fc.constantFrom('', 'e1', 'E+99', 'e300', 'e308', 'e309', 'e-400', 'e+0001', 'e0400');
    const number = fc
      .tuple(fc.constantFrom('', '-'), digits, fc.constantFrom('', '.5'), exponent)
      .map((all) => all.join(''));
    const { text } = fc.letrec<Record<'text' | 'list' | 'members', string>>((tie) => ({
      text: fc.oneof(
        { maxDepth: 3 },
        string,
        number,
        fc.constantFrom('true', 'null', ' 1e5 '),
        tie('list'),
        tie('members'),
      ),
      list: fc.array(tie('text'), { maxLength: 4 }).map((items) => `[${items.join(' ,')}]`),
      members: fc
        .array(fc.tuple(string, tie('text')), { maxLength: 4 })
        .map((all) => `{${all.map((one) => one.join(' : ')).join()}}`),
    }));
    fc.assert(
      fc.property(text, (json) => {
        const isRefused = holdsUnsafePart(JSON.parse(json));
        expect(refusal(json)?.code).toBe(isRefused ? 'validation_failed' : undefined);
      }),
      { numRuns: sized(2_000, 20_000) },
    );
  });

  it('is found wherever it stands', () => {
    for (let indent = 0; indent < 60; indent++) {
      for (const part of ['"constructor":1', '"a":"\\u0000"', `"a":${'9'.repeat(309)}`, '"a":1e309']) {
        expect(issues(`{${' '.repeat(indent)}${part}}`)).toHaveLength(1);
      }
    }
  });

  it('lists all of it', () => {
    expect(issues('{"a":"\\u0000","b":{"__proto__":1},"c":[1e999]}')).toHaveLength(3);
  });

  it('is looked for a hundred times, and a very long key above it is not repeated', () => {
    const many = Array(9_000).fill('"\\u0000"').join();
    expect(refusal(`[${many}]`)).toMatchObject({ details: { more_issues: 80 } });
    expect(issues(`{"a":{"${'k'.repeat(60_000)}":[${many}]}}`)).toEqual(Array(20).fill(['/a', 'bad_format']));
  });

  it('has its whole path below keys that are long and not too long', () => {
    const key = '~'.repeat(200);
    const holder = `/${'~0'.repeat(200)}`;
    expect(issues(`{"${key}":{"${key}":["\\u0000"],"${key}~":{"a":"\\u0000"}}}`)).toEqual([
      [`${holder}${holder}/0`, 'bad_format'],
      [holder, 'bad_format'],
    ]);
  });
});

/** The rule as it is written, slowly. */
function holdsUnsafePart(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value === 'string') return /[\0\p{Surrogate}]/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  const isForbidden = (key: string) => ['__proto__', 'constructor', 'hasOwnProperty'].includes(key);
  return Object.entries(value).some(([key, part]) => isForbidden(key) || holdsUnsafePart(key) || holdsUnsafePart(part));
}
