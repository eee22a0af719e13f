import { ListOf, Nested, Optional, Strings, TrimmedText } from '@evenkeel/contracts';
import { plainToInstance } from 'class-transformer';
import { ArrayMaxSize, IsObject, IsString, ValidateBy, validateSync, type ValidationError } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import fc from 'fast-check';
import { validate } from './validate';

/** What decorators were shown, in their order. */
let shown: unknown[] = [];
beforeEach(() => (shown = []));

function Shown(verdict = true): PropertyDecorator {
  const show = (value: unknown): boolean => {
    shown.push(value);
    return verdict;
  };
  return ValidateBy({ name: 'shown', validator: { validate: show } });
}

@JSONSchema({ additionalProperties: true })
class Item {
  @TrimmedText(1, 9) name!: string;
  @Optional() @IsObject() metadata?: object;
}

class Box {
  @IsString() label!: string;
  @Optional() @ListOf(() => Item, { minimum: 0, maximum: 2 }) spare?: Item[];
}

@JSONSchema({ additionalProperties: true })
class Order {
  @ListOf(() => Item, { minimum: 1, maximum: 25 }) items!: Item[];
  @Optional() @Nested(() => Box) box?: Box;
  @Optional() @IsString() note?: string;
}

class Row {
  @Shown(false) one!: unknown;
  @Shown(false) two!: unknown;
  @Shown(false) three!: unknown;
}

class Rows {
  @ListOf(() => Row, { minimum: 1, maximum: 40 }) rows!: Row[];
}

class Loose {
  @Optional() @Shown() any?: unknown;
  @Optional() @Shown() @IsString() text?: unknown;
  @Optional() @Shown() @ArrayMaxSize(25) @Strings() texts?: unknown;
}

const row = { one: 1, two: 2, three: 3 };

describe('the objects of a body', () => {
  it('are validated one after another, and none after the hundredth issue', () => {
    const { issues, instance } = validate(Rows, { rows: Array(40).fill(row), strange: 1 });
    expect(issues).toHaveLength(100);
    expect(issues[99]).toMatchObject({ path: '/rows/33/one' });
    expect(instance).toBeUndefined();
    expect(shown).toHaveLength(34 * 3);
  });

  it('are not validated beyond the limit of their list', () => {
    const { issues } = validate(Rows, { rows: Array(5_000).fill(row) });
    expect(issues[0]).toMatchObject({ path: '/rows', code: 'too_many_items' });
    expect(validate(Order, { items: Array(5_000).fill({}) }).issues).toHaveLength(1 + 25);
    expect(shown.length).toBeLessThanOrEqual(40 * 3);
  });

  it('have the issues that they have when the body is validated as a whole', () => {
    const item = fc.record(
      {
        name: fc.constantFrom('tea', ' tea ', 'a', 'b', 'c', 'd', 'e', '', 5),
        metadata: fc.constantFrom({}, {}, {}, []),
      },
      { requiredKeys: ['name'] },
    );
    const items = fc.array(fc.oneof({ weight: 19, arbitrary: item }, { weight: 1, arbitrary: fc.constant({}) }), {
      maxLength: 2,
    });
    const box = fc.record(
      { label: fc.constantFrom('a', 'b', 'c', 5), spare: fc.oneof(fc.constant([]), items, fc.constantFrom('x', {})) },
      { requiredKeys: ['label'] },
    );
    const body = fc.record(
      { note: fc.constantFrom('a', 'b', 'c', 5, []), box: fc.oneof(box, box, box, fc.constantFrom('x', [])), items },
      { requiredKeys: ['items'] },
    );
    const seen = { good: 0, bad: 0 };
    fc.assert(
      fc.property(body, (sent) => {
        const whole = plainToInstance(Order, structuredClone(sent));
        const { issues, instance } = validate(Order, sent);
        const paths = pathsOf(validateSync(whole, { forbidUnknownValues: false }));
        seen[paths.length > 0 ? 'bad' : 'good']++;
        expect(issues.map(({ path }) => path)).toEqual(paths);
        expect(instance).toEqual(paths.length > 0 ? undefined : whole);
      }),
      { numRuns: 1_000 },
    );
    expect(Math.min(seen.good, seen.bad)).toBeGreaterThan(30);
  });
});

/** Nothing is said of what is inside a value of the wrong type. */
function pathsOf(errors: readonly ValidationError[], holder = ''): string[] {
  return errors.flatMap(({ property, constraints, children = [] }) => {
    const path = `${holder}/${property}`;
    return constraints ? [path] : pathsOf(children, path);
  });
}

describe('a good body', () => {
  it('arrives as instances, trimmed, its properties in the order of the class', () => {
    const { instance } = validate(Order, { note: 'x', box: { label: 'b', spare: [] }, items: [{ name: ' tea ' }] });
    expect(JSON.stringify(instance)).toBe('{"items":[{"name":"tea"}],"box":{"label":"b","spare":[]},"note":"x"}');
    expect([instance, instance?.items[0], instance?.box].map((part) => part?.constructor)).toEqual([Order, Item, Box]);
  });

  it('arrives without what its class does not name, at any depth, and without free-form contents', () => {
    const body: unknown = JSON.parse(
      '{"items":[{"name":"Run","metadata":{"constructor":1,"a":{}},"constructor":{},"x":1}],"__proto__":1,"y":2}',
    );
    expect(validate(Order, body)).toEqual({ issues: [], instance: { items: [{ name: 'Run', metadata: {} }] } });
  });
});

describe('decorators', () => {
  it('see a value of the wrong type without its contents', () => {
    validate(Loose, { any: { a: 1 }, text: { b: 1 } });
    validate(Loose, { any: null, text: [{ name: 'Run' }] });
    validate(Loose, { any: [null, [{ name: 'Run' }], 'x'] });
    expect(shown).toEqual([{}, {}, null, [], [null, [{}], 'x']]);
  });

  it('see a list up to one item after its limit', () => {
    validate(Loose, { texts: Array(5_000).fill('x') });
    expect(shown).toEqual([Array(26).fill('x')]);
  });
});
