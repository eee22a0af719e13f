import type { Operation } from '@evenkeel/contracts';
import fc from 'fast-check';

type Body = Record<string, unknown>;

const text = fc.constantFrom('Run', ' Run ', '\u2003Läufe\n', '❤️', '😀'.repeat(200), `  ${'a'.repeat(200)}`);
const ratio = fc.oneof(fc.constantFrom(0, 1, 1e-12), fc.double({ min: 0, max: 1, noNaN: true }));
const count = fc.constantFrom(0, 1, 9, 310, 2_147_483_647);
const trend = fc.constantFrom('rising', 'stable', 'falling');

const habit = fc.record(
  {
    name: text,
    completion_rate: ratio,
    current_streak: count,
    best_streak: count,
    average_mood: fc.constantFrom(1, 5.5, 10),
    mood_correlation: fc.constantFrom(-1, 0, 0.41, 1),
    energy_trend: trend,
    risk_score: ratio,
    metadata: fc.constantFrom({}, { a: [{ b: null }], toString: 1 }),
    colour: fc.constantFrom(null, 'red', []),
  },
  { requiredKeys: ['name', 'completion_rate', 'current_streak', 'best_streak'] },
);

const task = fc.record(
  {
    name: text,
    success_rate: ratio,
    current_streak: count,
    best_streak: count,
    runs: count,
    latency_trend: trend,
    p95_latency_ms: fc.constantFrom(0, 0.5, 412_000, 1e12),
    risk_score: ratio,
    cadence: fc.constantFrom('continuous', 'hourly', 'daily', 'weekly', 'ad_hoc'),
    critical: fc.boolean(),
    owner: fc.constantFrom('me', { constructor_: 1 }),
  },
  { requiredKeys: ['name', 'success_rate', 'current_streak', 'best_streak'] },
);

const habits = fc.record(
  {
    habits: fc.array(habit, { minLength: 1, maxLength: 4 }),
    horizon_days: fc.constantFrom(7, 35, 180),
    persona: fc.constantFrom('', 'coach', '❤️'.repeat(32)),
    locale: fc.constantFrom('', 'en-GB'),
  },
  { requiredKeys: ['habits'] },
);

const oneHabit = fc.record({ habit, horizon_days: fc.constantFrom(7, 21, 60) }, { requiredKeys: ['habit'] });

const tasks = fc.record(
  {
    system: fc.constantFrom('', ' ', 'warehouse', ` ${'b'.repeat(120)} `),
    tasks: fc.array(task, { minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: ['tasks'] },
);

/** Bodies that each operation takes. */
export const goodBodies: Readonly<Record<Operation, fc.Arbitrary<Body>>> = {
  analyze: habits,
  plan: fc.oneof(habits, oneHabit),
  insights: habits,
  recommend: habits,
  reliability: tasks,
};

/** Values that are right in one place and wrong in most, at the edge of every range and every known hole. */
// prettier-ignore
const odd: fc.Arbitrary<unknown> = fc.constantFrom<unknown[]>(
  null, true, false, 0, 1, -1, 0.5, 1.0000001, -1e-9, 3, 6, 7, 10, 11, 60, 61, 180, 181,
  2_147_483_647, 2_147_483_648, 1e12, 1e13, 1e29, 1e308,
  '', ' ', '0', 'stable', 'daily', 'a'.repeat(35), 'a'.repeat(64), 'a'.repeat(65), '❤️'.repeat(33), '😀'.repeat(64),
  'a'.repeat(121), 'a'.repeat(201), ` ${'a'.repeat(200)} `,
  [], [null], [[]], [{}], [[{}]], ['x'], {}, { name: 'x' }, { length: 1 }, { toString: 1 }, { then: 1 }, Array(26).fill({}),
);

// prettier-ignore
const names = fc.constantFrom(
  'user_id', 'toString', 'valueOf', 'isPrototypeOf', 'propertyIsEnumerable', '__defineGetter__', 'then', 'length', '', '0',
  'habit', 'habits', 'tasks', 'system', 'persona', 'locale', 'horizon_days', 'name', 'metadata', 'runs', 'critical',
);

const change = fc.record({
  kind: fc.constantFrom('replace', 'replace', 'remove', 'add'),
  where: fc.infiniteStream(fc.nat(1_000)),
  name: names,
  value: odd,
});

/** Bodies with none to three changes at any depth: some are still good. */
export const changedBodies = (operation: Operation): fc.Arbitrary<unknown> =>
  fc
    .tuple(goodBodies[operation], fc.array(change, { maxLength: 3 }), fc.nat(40), odd)
    .map(([body, changes, chance, whole]) => (chance === 0 ? whole : changes.reduce(changed, structuredClone(body))));

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function changed(body: Body, { kind, where, name, value: shared }: Change): Body {
  const value = structuredClone(shared);
  let holder: Body = body;
  for (;;) {
    const keys = Object.keys(holder);
    const step = where.next().value as number;
    const key = keys[step % (keys.length || 1)];
    const child = key === undefined ? undefined : holder[key];
    const descends = typeof child === 'object' && child !== null && (where.next().value as number) % 4 > 0;
    if (descends) {
      holder = child as Body;
      continue;
    }
    if (kind === 'add' || key === undefined) {
      if (Array.isArray(holder)) holder.push(value);
      else holder[name] = value;
    } else if (kind === 'replace') holder[key] = value;
    else if (Array.isArray(holder)) holder.pop();
    else delete holder[key];
    return body;
  }
}
