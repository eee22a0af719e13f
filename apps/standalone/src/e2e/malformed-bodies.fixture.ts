import type { PaidEndpoint } from '@evenkeel/contracts';
import fc from 'fast-check';

type Json = Record<string, unknown>;

const text = fc.string({ maxLength: 20 });
const object = fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
const list = fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 3 });
const tooLongText = (limit: number) =>
  fc.integer({ min: limit + 1, max: limit + 300 }).map((length) => 'x'.repeat(length));

const notNumber = fc.oneof(text, fc.boolean(), fc.constant(null), object, list);
const notText = fc.oneof(fc.double({ noNaN: true }), fc.boolean(), fc.constant(null), object, list);
const notObject = fc.oneof(fc.integer(), text, fc.boolean(), fc.constant(null), list);
const finite = { noNaN: true, noDefaultInfinity: true } as const;

function outside(minimum: number, maximum: number): fc.Arbitrary<unknown> {
  return fc.oneof(
    notNumber,
    fc.double({ ...finite, max: minimum }).filter((number) => number < minimum),
    fc.double({ ...finite, min: maximum }).filter((number) => number > maximum),
  );
}

const fraction = fc.double({ ...finite, min: -1e6, max: 1e6 }).filter((number) => !Number.isInteger(number));
const notCount = fc.oneof(outside(0, 2 ** 31 - 1), fraction);
/** NUL breaks databases, halves of a surrogate pair are no characters. */
const noText = fc.constantFrom('a\u0000b', 'a\ud800b', '\udfff', '\ud83d');
const notName = fc.oneof(notText, fc.constantFrom('', ' \t '), tooLongText(200), noText);
const notTrend = fc.oneof(notText, fc.constantFrom('', 'up', 'Rising', 'rising '), noText);

const MEMBERS_OF_ANY_ITEM = {
  name: notName,
  current_streak: notCount,
  best_streak: notCount,
  risk_score: outside(0, 1),
};
const WRONG_HABIT: Record<string, fc.Arbitrary<unknown>> = {
  ...MEMBERS_OF_ANY_ITEM,
  completion_rate: outside(0, 1),
  average_mood: outside(1, 10),
  mood_correlation: outside(-1, 1),
  energy_trend: notTrend,
  metadata: notObject,
};
const WRONG_TASK: Record<string, fc.Arbitrary<unknown>> = {
  ...MEMBERS_OF_ANY_ITEM,
  success_rate: outside(0, 1),
  runs: notCount,
  p95_latency_ms: outside(0, 1e12),
  latency_trend: notTrend,
  cadence: notTrend,
  critical: fc.oneof(text, fc.integer(), fc.constant(null), object, list),
};
const REQUIRED = ['name', 'current_streak', 'best_streak'];

/** JSON that every endpoint of that kind must refuse, each with one thing wrong. */
export function refusedJson({ operation, exampleInput }: PaidEndpoint): fc.Arbitrary<string> {
  const valid = exampleInput as Json;
  const items = operation === 'reliability' ? 'tasks' : 'habits';
  const wrongMembers = operation === 'reliability' ? WRONG_TASK : WRONG_HABIT;
  const [item] = valid[items] as [Json];
  const withItem = (changed: unknown) => ({ ...valid, [items]: [item, changed] });

  const wrongMember = fc
    .constantFrom(...Object.keys(wrongMembers))
    .chain((name) => wrongMembers[name]!.map((value) => withItem({ ...item, [name]: value })));
  const missingMember = fc.constantFrom(...REQUIRED).map((name) => withItem({ ...item, [name]: undefined }));
  const wrongItem = fc.oneof(notObject, fc.constant([{}])).map(withItem);
  const wrongCount = fc.constantFrom(0, 26, 40).map((count) => ({ ...valid, [items]: Array<Json>(count).fill(item) }));
  const wrongList = fc.oneof(notText, fc.constant(undefined)).filter((value) => !Array.isArray(value));
  const unknownMember = fc.constantFrom('user_id', 'Habits', 'x', '').map((name) => ({ ...valid, [name]: 1 }));
  const noObject = fc.oneof(notObject, fc.constant({}));
  const wrongForm = fc.constantFrom({ ...valid, habit: item }, { habit: [item] }, { habit: item, horizon_days: 61 });

  return fc.oneof(
    { arbitrary: wrongMember.map(encode), weight: 8 },
    { arbitrary: wrongLabel(operation).map((wrong) => encode({ ...valid, ...wrong })), weight: 2 },
    missingMember.map(encode),
    wrongItem.map(encode),
    wrongCount.map(encode),
    wrongList.map((value) => encode({ ...valid, [items]: value })),
    unknownMember.map(encode),
    noObject.map(encode),
    wrongForm.map(encode),
    { arbitrary: hostileJson(encode(valid)), weight: 3 },
  );
}

function wrongLabel(operation: PaidEndpoint['operation']): fc.Arbitrary<Json> {
  if (operation === 'reliability') {
    return fc.oneof(notText, tooLongText(120), noText).map((system) => ({ system }));
  }
  return fc.oneof(
    fc.oneof(outside(7, 180), fraction).map((horizon_days) => ({ horizon_days })),
    fc.oneof(notText, tooLongText(64), noText).map((persona) => ({ persona })),
    fc.oneof(notText, tooLongText(35), noText).map((locale) => ({ locale })),
  );
}

/** What an encoder would not write: keys of the prototype, endless nesting, numbers without end, cut-off texts. */
function hostileJson(valid: string): fc.Arbitrary<string> {
  // Last: when two members have one name, the last one counts.
  const inside = (member: string) => valid.replace(/}$/, `,${member}}`);
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  return fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'hasOwnProperty').map((key) => inside(`"${key}":{}`)),
    fc.integer({ min: 33, max: 20_000 }).map((depth) => inside(`"metadata":${nested(depth)}`)),
    fc.integer({ min: 10_001, max: 60_000 }).map((count) => inside(`"x":[${'0,'.repeat(count - 1)}0]`)),
    fc.constantFrom('1e400', '-1e999', `1${'0'.repeat(400)}`).map((number) => inside(`"horizon_days":${number}`)),
    fc.nat(valid.length - 1).map((length) => valid.slice(0, length)),
    fc.constantFrom('NaN', 'undefined', "{'habits':[]}", '{"habits":[],}', '// {}', '\ufeff{}', '\u2028'),
  );
}

/** Undefined members fall away. */
function encode(value: unknown): string {
  return JSON.stringify(value);
}
