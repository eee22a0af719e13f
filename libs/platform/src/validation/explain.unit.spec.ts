import { ListOf, Nested, Nullable, Optional, TrimmedText } from '@evenkeel/contracts';
import {
  IsArray,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  IsUUID,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateBy,
} from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { explain } from './explain';
import { ValidationFailed } from './validation-issue';

class Tag {
  @IsString() label!: string;
}

const isPair = {
  validate: (text: unknown) => String(text).includes('-'),
  defaultMessage: () => '$property must be a pair',
};

class SignUp {
  @IsString() email!: string;
  @MinLength(8) @IsString() password!: string;
  @Optional() @IsString() @MaxLength(9) note?: string;
  @Optional() @Length(2, 4) code?: string;
  @Optional() @IsUUID() id?: string;
  @Optional() @Matches(/^a/) @IsString() word?: string;
  @Optional() @IsArray() @MaxLength(3, { each: true }) tags?: string[];
  @Optional() @Min(2) @IsInt() least?: number;
  @Optional() @Max(2) @IsInt() most?: number;
  @Optional() @IsIn([1, 2]) either?: number;
  @Optional() @ListOf(() => Tag, { minimum: 1, maximum: 2 }) labels?: Tag[];
  @Optional() @TrimmedText(3, 9) @ValidateBy({ name: 'isPair', validator: isPair }) ends?: string;
}

const LABEL = { label: 'x' };
const OF_TAGS = 'must hold items each of which must have at most 3 characters';

it.each([
  [{ email: undefined }, '/email', 'required', 'is required', undefined],
  [{ password: 'short' }, '/password', 'too_short', 'must have at least 8 characters', undefined],
  [{ password: 12345678 }, '/password', 'wrong_type', 'must be a string', undefined],
  [{ note: 'a long note' }, '/note', 'too_long', 'must have at most 9 characters', undefined],
  [{ code: 'a' }, '/code', 'too_short', 'must have between 2 and 4 characters', 1],
  [{ code: 'abcde' }, '/code', 'too_long', 'must have between 2 and 4 characters', 5],
  [{ id: 'x' }, '/id', 'bad_format', 'must be a valid uuid', 'x'],
  [{ word: 'b' }, '/word', 'bad_format', 'must match /^a/ regular expression', 'b'],
  [{ tags: ['abcd'] }, '/tags', 'too_long', OF_TAGS, undefined],
  [{ tags: 'abc' }, '/tags', 'wrong_type', 'must be an array', 'abc'],
  [{ least: 1 }, '/least', 'out_of_range', 'must be at least 2', 1],
  [{ most: 3 }, '/most', 'out_of_range', 'must be at most 2', 3],
  [{ either: 3 }, '/either', 'not_in_enum', 'must be one of 1, 2', 3],
  [{ labels: [] }, '/labels', 'too_few_items', 'must contain at least 1 item', 0],
  [{ labels: Array(9).fill(LABEL) }, '/labels', 'too_many_items', 'must contain at most 2 items', 9],
  [{ labels: [LABEL, {}] }, '/labels/1/label', 'required', 'is required', undefined],
  [{ labels: [{ ...LABEL, other: 1 }] }, '/labels/0/other', 'unknown_property', 'is not a known property', undefined],
  [{ ends: 'abcd' }, '/ends', 'bad_format', 'must be a pair', 'abcd'],
  [{ ends: ' a-  ' }, '/ends', 'too_short', 'must have between 3 and 9 characters', 2],
])('%j', (over, path, code, message, received) => {
  const good = { email: 'a@example.org', password: 'long enough' };
  expect(explain(SignUp, good)).toEqual([]);
  const [issue, ...others] = explain(SignUp, { ...good, ...over });
  expect(others).toEqual([]);
  expect(issue).toMatchObject({ path, code, message });
  expect(issue!.received).toBe(received);
});

it.each([
  ['', 'the body is required'],
  ['/habits/0/completion_rate', 'habits[0].completion_rate is required'],
  ['/a~1b~0c', '["a/b~c"] is required'],
  ['/metadata/x y', 'metadata["x y"] is required'],
])('the issue at %j is said as a sentence', (path, text) =>
  expect(new ValidationFailed([{ path, code: 'required', message: 'is required' }]).message).toBe(text),
);

it('of a body with thousands of mistakes a hundred are looked for, 20 are listed, and none repeats a long name', () => {
  const strange = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`x${index}`, 0]));
  const issues = explain(SignUp, { ['k'.repeat(60_000)]: 0, ...strange });
  expect(issues).toHaveLength(100);
  const { details } = new ValidationFailed(issues);
  expect(details).toMatchObject({ issues: { length: 20 }, more_issues: 80 });
  expect(details.issues.slice(0, 3).map(({ path }) => path)).toEqual(['/email', '/password', '']);
});

@JSONSchema({ additionalProperties: true })
class Item {
  @TrimmedText(1, 9) name!: string;
  @Optional() @IsObject() metadata?: object;
  @Optional() @Nullable() @TrimmedText(1, 9) unit?: string | null;
}

class Box {
  @IsString() label!: string;
  @Optional() @Nullable() @ListOf(() => Item, { minimum: 0, maximum: 2 }) spare?: Item[] | null;
}

@JSONSchema({ additionalProperties: true })
class Order {
  @ListOf(() => Item, { minimum: 1, maximum: 25 }) items!: Item[];
  @Optional() @Nullable() @Nested(() => Box) box?: Box | null;
  @Optional() @IsString() note?: string;
}

it.each<[object, string[]]>([
  [{ items: [{ name: ' tea ', unit: null }], box: null }, []],
  [{ items: [{ name: 'a', metadata: {}, unit: 'cup' }], box: { label: 'a', spare: null }, note: 'b' }, []],
  [{ items: [{ name: 'a' }], box: { label: 'a', spare: [] } }, []],
  [{ items: [], box: [], note: 5 }, ['/items', '/box', '/note']],
  [
    { note: 5, box: 'x', items: [{ unit: ' ', metadata: [] }, { name: 5 }] },
    ['/items/0/name', '/items/0/metadata', '/items/0/unit', '/items/1/name', '/box', '/note'],
  ],
  [
    { box: { spare: [{ name: '' }, {}], label: 5 }, items: [{ name: 'a' }] },
    ['/box/label', '/box/spare/0/name', '/box/spare/1/name'],
  ],
  [{ items: [{ name: 'a' }], box: { spare: 'x' } }, ['/box/label', '/box/spare']],
])('issues come in the order of the decorators, and say nothing of what is inside a wrong type: %j', (body, paths) => {
  expect(explain(Order, body).map(({ path }) => path)).toEqual(paths);
});
