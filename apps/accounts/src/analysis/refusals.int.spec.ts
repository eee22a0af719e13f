import { Accounts } from '../accounts.fixture';
import { AnalysesOf, logsOf, quotaOf } from './analysis.fixture';

const ROUTES = ['analyze', 'insights', 'plan', 'recommend'] as const;
const NOBODYS = '0194a1d0-5f6e-7c1a-9b3e-2f4d5a6b7c8d';
const PATHS = { upgrade_path: '/v1/billing/checkout', plans_path: '/v1/billing/plans' };

let accounts: Accounts;
let ana: AnalysesOf;
let ben: AnalysesOf;
let bensHabit: string;
beforeAll(async () => {
  accounts = await Accounts.start();
  ana = await AnalysesOf.somebody(accounts);
  ben = await AnalysesOf.somebody(accounts);
  await ana.habit({ logs: logsOf('ddd', '2026-01-20') });
  bensHabit = await ben.habit();
});
afterAll(() => accounts.close());

const issuesOf = ({ body }: { body: Record<string, unknown> }) => {
  const { issues } = body.details as { issues: { path: string; code: string }[] };
  return issues.map(({ path, code }) => `${path} ${code}`);
};

describe.each(ROUTES)('POST /v1/habits/%s', (route) => {
  it.each<[string, object, string]>([
    ['a member that it does not know', { persona: 'x' }, '/persona unknown_property'],
    ['no uuid', { habitId: 'mine' }, '/habitId bad_format'],
    ['null', { habitId: null }, '/habitId bad_format'],
    ['no list', { habitIds: NOBODYS }, '/habitIds wrong_type'],
    ['an empty list', { habitIds: [] }, '/habitIds too_few_items'],
    ['too long a list', { habitIds: Array.from({ length: 26 }, () => NOBODYS) }, '/habitIds too_many_items'],
    ['a list with something else in it', { habitIds: [NOBODYS, 7] }, '/habitIds bad_format'],
    ['both of them', { habitId: NOBODYS, habitIds: [NOBODYS] }, '/habitIds conflict'],
    ['a short window', { windowDays: 6 }, '/windowDays out_of_range'],
    ['a long window', { windowDays: 366 }, '/windowDays out_of_range'],
    ['a window in words', { windowDays: '90' }, '/windowDays wrong_type'],
    ['a short horizon', { horizonDays: 6 }, '/horizonDays out_of_range'],
    ['a long horizon', { horizonDays: 181 }, '/horizonDays out_of_range'],
    ['a day that does not exist', { asOf: '2026-02-30' }, '/asOf bad_format'],
    ['an instant', { asOf: '2026-01-31T12:00:00Z' }, '/asOf bad_format'],
    ['a day before all logs', { asOf: '1999-12-31' }, '/asOf out_of_range'],
    ['the day after tomorrow', { asOf: '2026-02-02' }, '/asOf out_of_range'],
    ['a long locale', { locale: 'x'.repeat(36) }, '/locale too_long'],
  ])('refuses %s', async (_, body, issue) => {
    const reply = await ana.ask(route, body);
    expect([reply.status, reply.body.error]).toEqual([400, 'validation_failed']);
    expect(issuesOf(reply)).toEqual([issue]);
  });

  it('knows no habit that is missing, and none of somebody else', async () => {
    const texts = [];
    for (const habit of [{ habitId: NOBODYS }, { habitId: bensHabit }, { habitIds: [bensHabit] }]) {
      const { status, text } = await ana.ask(route, habit);
      expect(status).toBe(404);
      texts.push(text);
    }
    expect(new Set(texts).size).toBe(1);
  });
});

it('plans are Premium, and a bad body or a missing habit is said first', async () => {
  const reply = await ana.ask('plan');
  expect([reply.status, reply.body.error]).toEqual([402, 'premium_required']);
  expect(JSON.stringify(reply.body.details)).toBe(
    JSON.stringify({ feature: 'habit_plans', required_tier: 'PREMIUM', ...PATHS }),
  );
});

it('a used month refuses analyses with the headers of its quota, and counts no refusal', async () => {
  const eva = await AnalysesOf.somebody(accounts);
  for (let used = 1; used <= 5; used++) {
    expect(quotaOf(await eva.ask('analyze'))).toEqual({
      limit: '5',
      used: String(used),
      remaining: String(5 - used),
      period: '2026-01',
    });
  }
  // Neither these …
  expect((await eva.ask('analyze', { windowDays: 1 })).status).toBe(400);
  expect((await eva.ask('analyze', { habitId: NOBODYS })).status).toBe(404);
  const reply = await eva.ask('analyze');
  expect([reply.status, reply.body.error]).toEqual([402, 'quota_exceeded']);
  expect(JSON.stringify(reply.body.details)).toBe(
    JSON.stringify({
      feature: 'analyses',
      used: 5,
      limit: 5,
      limit_kind: 'hard',
      period: '2026-01',
      ...PATHS,
      payment_headers_accepted: false,
    }),
  );
  expect(quotaOf(reply)).toEqual({ limit: '5', used: '5', remaining: '0', period: '2026-01' });
  // … nor these cost anything.
  expect((await eva.ask('recommend')).status).toBe(200);
  expect((await eva.ask('insights')).status).toBe(200);
  expect(await eva.usage()).toEqual({ used: 5, events: [1, 2, 3, 4, 5] });

  // Premium is counted too, without a limit; who is Free again has used more than there is.
  await accounts.grantPremium(eva.person.id);
  expect(quotaOf(await eva.ask('analyze'))).toEqual({ used: '6', period: '2026-01' });
  await accounts.grantPremium(eva.person.id, new Date('2026-01-31T12:00:00Z'));
  const over = await eva.ask('analyze');
  expect([over.status, over.body.details]).toMatchObject([402, { used: 6, limit: 5 }]);
  expect(quotaOf(over)).toEqual({ limit: '5', used: '6', remaining: '0', period: '2026-01' });
});

const DAYS = 80;
/** The last of them is the day of the answers. */
const FIRST = '2025-11-13';
const DAYS_DONE = Array.from({ length: DAYS }, (_, at) => at % 4 !== 1);
/** Higher on days on which the habit was done. */
const LINKED = DAYS_DONE.map((isDone, at) => Math.min(10, 1 + ((at * 7) % 5) + (isDone ? 6 : 0)));

/** All that one can ask about habits with these moods, with ids that are places in place of ids that are random. */
async function answersWith(moods: readonly number[], tier: 'FREE' | 'PREMIUM') {
  const eva = await AnalysesOf.somebody(accounts);
  if (tier === 'PREMIUM') await accounts.grantPremium(eva.person.id);
  const everyDay = logsOf('d'.repeat(DAYS), FIRST);
  const ids = [
    // Low enough for an action that speaks of mood.
    await eva.habit({
      name: 'Run',
      startDay: FIRST,
      logs: everyDay.flatMap((log, at) => (DAYS_DONE[at] ? { ...log, mood: 3 } : [])),
    }),
    await eva.habit({
      name: 'Diary',
      startDay: FIRST,
      logs: everyDay.map((log, at) => ({ ...log, mood: moods[at]! })),
    }),
  ];
  const texts: string[] = [];
  for (const route of ['analyze', 'recommend', 'insights'] as const) {
    const { text } = await eva.ask(route, { habitIds: ids });
    const withPlaces = ids.reduce((all, id, place) => all.replaceAll(id, `habit-${place}`), text);
    texts.push(withPlaces.replaceAll(/"id":"[0-9a-f-]{36}"/g, '"id":"insight"'));
  }
  return texts;
}

it('Free answers are equal whether or not mood goes with anything', async () => {
  // In another order: their mean, which Free shows too, stays as it is.
  const unlinked = LINKED.toSorted((one, other) => one - other);
  expect(await answersWith(LINKED, 'FREE')).toEqual(await answersWith(unlinked, 'FREE'));
  expect((await answersWith(LINKED, 'PREMIUM'))[0]).toContain('"mood_correlation":{');
});
