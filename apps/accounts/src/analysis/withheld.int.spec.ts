import fc from 'fast-check';
import { Accounts } from '../accounts.fixture';
import { AnalysesOf, logsOf, type MadeLog } from './analysis.fixture';

const SEED = Number(process.env.WITHHELD_SEED ?? Math.floor(Math.random() * 2 ** 31));
const DAYS = 80;
/** The last of them is the day of the answers. */
const FIRST = '2025-11-13';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());

/** Of two people with the same history: all that one can ask, with ids that are places in place of ids that are random. */
async function answersOf(habits: readonly Made[], tier: 'FREE' | 'PREMIUM') {
  const ana = await AnalysesOf.somebody(accounts);
  if (tier === 'PREMIUM') await accounts.grantPremium(ana.person.id);
  const ids: string[] = [];
  for (const { name, logs } of habits) ids.push(await ana.habit({ name, startDay: FIRST, logs }));
  const named = (text: string) => {
    const withPlaces = ids.reduce((all, id, place) => all.replaceAll(id, `habit-${place}`), text);
    return withPlaces.replaceAll(/"id":"[0-9a-f-]{36}"/g, '"id":"insight"');
  };
  const body = { habitIds: ids };
  const routes = ['analyze', 'recommend', 'insights'] as const;
  const texts: Record<string, string> = {};
  for (const route of routes) texts[route] = named((await ana.ask(route, body)).text);
  texts.all = named((await ana.ask('insights', { ...body, limit: 200 })).text);
  return { texts, parsed: (route: string) => JSON.parse(texts[route]!) as Record<string, unknown> };
}

interface Made {
  name: string;
  logs: MadeLog[];
}

const mood = fc.integer({ min: 1, max: 6 });
const day = fc.record({ done: fc.integer({ min: 0, max: 9 }).map((tenths) => tenths < 7), mood });
/** On done days moods are so much higher: at times there is a link, at times none. */
const history = fc.record({
  first: fc.array(day, { minLength: DAYS, maxLength: DAYS }),
  second: fc.array(fc.constantFrom('d', 'm', 's'), { minLength: DAYS, maxLength: DAYS }),
  strength: fc.constantFrom(0, 2, 6),
});

type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

/** Mood goes with the habit, and is low: Premium says so, and has an action for it. */
const low: History = {
  first: Array.from({ length: DAYS }, (_, at) => ({ done: at % 4 !== 1, mood: 1 + ((at * 7) % 5) })),
  second: Array<'d'>(DAYS).fill('d'),
  strength: 6,
};

/** @param order puts the moods of the diary in another order: their mean, which Free shows too, stays as it is */
function madeHabits({ first, second, strength }: History, order: (moods: number[]) => number[]): Made[] {
  const letters = first.map(({ done }) => (done ? 'd' : 'm')).join('');
  const moods = first.map((one) => Math.min(10, one.mood + (one.done ? strength : 0)));
  const ordered = order(moods);
  const diary = logsOf('d'.repeat(DAYS), FIRST).map((log, at) => ({ ...log, mood: ordered[at]! }));
  return [
    // Low enough for an action that speaks of mood.
    { name: 'Run', logs: logsOf(letters, FIRST).map((log) => ({ ...log, mood: 3 })) },
    { name: 'Read', logs: logsOf(second.join(''), FIRST) },
    { name: 'Diary', logs: diary },
  ];
}

it(
  `Free answers are equal whether or not mood goes with anything (WITHHELD_SEED=${SEED})`,
  async () => {
    let links = 0;
    await fc.assert(
      fc.asyncProperty(history, async (made) => {
        const linked = madeHabits(made, (moods) => moods);
        const unlinked = madeHabits(made, (moods) => [...moods].sort((a, b) => a - b));
        const [one, other] = [await answersOf(linked, 'FREE'), await answersOf(unlinked, 'FREE')];
        expect(one.texts).toEqual(other.texts);
        const premium = await answersOf(linked, 'PREMIUM');
        if (premium.texts.analyze!.includes('"mood_correlation":{')) links++;
      }),
      { numRuns: sized(6, 150), seed: SEED, examples: [[low]] },
    );
    // The property says nothing where nothing is linked.
    expect(links).toBeGreaterThan(0);
  },
  sized(60_000, 600_000),
);

it(
  `Premium answers differ from Free ones as documented, and in nothing else (WITHHELD_SEED=${SEED})`,
  async () => {
    let actions = 0;
    await fc.assert(
      fc.asyncProperty(history, async (made) => {
        const habits = madeHabits(made, (moods) => moods);
        const [free, premium] = [await answersOf(habits, 'FREE'), await answersOf(habits, 'PREMIUM')];

        const analyzed = premium.parsed('analyze') as unknown as Analysis;
        expect(analyzed.habits.every(({ metrics }) => 'correlation_notes' in metrics)).toBe(true);
        for (const { metrics } of analyzed.habits) withhold(metrics);
        const { redacted, recommendations, ...rest } = free.parsed('analyze');
        const moods = recommended(premium);
        actions += moods.size;
        expect({ ...analyzed, tier: 'FREE', recommendations: [] }).toEqual({ ...rest, recommendations: [] });
        expect(redacted).toMatchObject({ reason: 'premium_required', feature: 'mood_correlation' });
        expect((recommendations as string[]).length).toBe(analyzed.recommendations.length);

        const { redacted: _, recommendations: freeOnes, ...freely } = free.parsed('recommend') as unknown as Actions;
        const full = premium.parsed('recommend') as unknown as Actions;
        for (const metrics of Object.values(full.metrics)) withhold(metrics);
        expect({ metrics: full.metrics, generated_for_habits: full.generated_for_habits }).toEqual(freely);
        for (const [at, action] of freeOnes.entries()) {
          if (!moods.has(action.habit)) expect(full.recommendations[at]).toEqual(action);
          expect(action.code).not.toBe('support_mood');
        }

        const all = premium.parsed('all').insights as { kind: string }[];
        const readable = all.filter(({ kind }) => kind !== 'correlation');
        expect(free.parsed('all').insights).toEqual(readable.slice(0, 5));
      }),
      { numRuns: sized(6, 100), seed: SEED, examples: [[low]] },
    );
    expect(actions).toBeGreaterThan(0);
  },
  sized(60_000, 600_000),
);

interface Analysis {
  habits: { metrics: Record<string, unknown> }[];
  recommendations: string[];
}

interface Actions {
  recommendations: { habit: string; code: string }[];
  generated_for_habits: number;
  metrics: Record<string, Record<string, unknown>>;
  redacted?: unknown;
}

/** The names of habits whose action says something about mood. */
function recommended({ parsed }: { parsed: (route: string) => Record<string, unknown> }): Set<string> {
  const { recommendations } = parsed('recommend') as unknown as Actions;
  return new Set(recommendations.filter(({ code }) => code === 'support_mood').map(({ habit }) => habit));
}

function withhold(metrics: Record<string, unknown>): void {
  for (const name of ['mood_correlation', 'energy_correlation', 'stress_correlation', 'correlation_notes']) {
    delete metrics[name];
  }
}
