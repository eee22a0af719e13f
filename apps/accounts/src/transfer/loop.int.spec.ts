import { asLoopCounts, LOOP_HABITS, LOOP_ZIP, loopDatabase, markedHabit, zipOf } from '@evenkeel/habit-files/testing';
import type { LoopMark } from '@evenkeel/habit-files/testing';
import { audit } from '@evenkeel/ops/audit';
import { Accounts, type Person } from '../accounts.fixture';
import { fileTransfer } from './transfer.fixture';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());
afterEach(async () => expect(await audit(accounts.database.dataSource)).toEqual([]));

const { imported, rowsOf } = fileTransfer(() => accounts);

async function premium(): Promise<Person> {
  const person = await accounts.person({ timezone: 'Europe/Madrid' });
  await accounts.grantPremium(person.id);
  return person;
}

interface Habit {
  id: string;
  name: string;
  status: string;
  cadence: string;
  targetPerWeek: number;
  description: string | null;
  stats: { currentStreak: number; bestStreak: number; strength: number };
}

async function habitsOf({ token }: Person): Promise<Habit[]> {
  const { status, body } = await accounts.ask('GET', '/v1/habits?status=all', { token });
  expect(status).toBe(200);
  return body.habits as Habit[];
}

/** As `2026-01-05 COMPLETED 1 in the rain`, oldest first. */
async function logsOf({ token }: Person, { id }: Habit): Promise<string[]> {
  const { status, body } = await accounts.ask('GET', `/v1/habits/${id}/logs`, { token });
  expect(status).toBe(200);
  const logs = body.logs as { localDate: string; status: string; completionRate: number; note: string | null }[];
  return logs
    .map(({ localDate, status: done, completionRate, note }) =>
      `${localDate} ${done} ${completionRate} ${note ?? ''}`.trim(),
    )
    .sort();
}

/** Of notes such as `Reminders left out: 1.`, the count. */
function countIn(notes: readonly string[], beginning: string): number {
  return Number(
    notes
      .find((note) => note.startsWith(beginning))
      ?.split(': ')[1]
      ?.replace('.', '') ?? 0,
  );
}

describe.each([12, 16, 22, 24, 25])('a backup of version %i', (version) => {
  const habits = LOOP_HABITS.filter(({ type }) => type === undefined || version >= 16);

  it('arrives, what does not is named, and the second time creates nothing', async () => {
    const person = await premium();
    const report = await imported(person, await loopDatabase(version));
    expect(report).toMatchObject({
      ...{ format: 'loop-database', rejects: [] },
      habits: { created: habits.length, matched: 0, skipped: 0 },
    });
    const found = await habitsOf(person);
    expect(found.map(({ name }) => name)).toEqual(habits.map(({ name }) => name));
    const kinds = found.map(({ name, cadence, targetPerWeek, status }) =>
      [name, cadence, targetPerWeek, status].join(' '),
    );
    expect(kinds).toEqual(
      expect.arrayContaining([
        'Walk DAILY 7 ACTIVE',
        'Swim WEEKLY 3 ACTIVE',
        'Budget WEEKLY 1 ACTIVE',
        'Old one DAILY 7 ARCHIVED',
      ]),
    );
    expect(found[0]!.description).toBe(version >= 23 ? 'Did you walk?\n\nround the lake' : 'round the lake');
    expect(await logsOf(person, found[0]!)).toEqual([
      `2026-01-05 COMPLETED 1${version >= 25 ? ' in the rain' : ''}`,
      ...['2026-01-06 COMPLETED 1', '2026-01-08 SKIPPED 0', '2026-01-11 COMPLETED 1'],
    ]);
    const days = habits.flatMap(({ values }) => values).filter((value) => value !== undefined);
    const named = countIn(report.notes, 'Days marked as not done') + countIn(report.notes, 'Days marked as unknown');
    expect(named).toBe(version >= 16 ? 3 : 2);
    expect(report.logs.created + named + countIn(report.notes, 'Days filled in')).toBe(days.length);
    expect(await rowsOf(person)).toEqual({ habits: habits.length, logs: report.logs.created });
    expect(countIn(report.notes, 'Reminders')).toBe(1);
    for (const name of ['Water plants', 'Budget', ...(version >= 16 ? ['Pages', 'Coffee'] : [])]) {
      expect(report.notes.filter((note) => note.startsWith(`"${name}"`))).toHaveLength(1);
    }
    expect(await imported(person, await loopDatabase(version))).toMatchObject({
      habits: { created: 0, matched: habits.length },
      logs: { created: 0, duplicate: report.logs.created, rejected: 0 },
    });
  });

  it("shows Loop's own streaks and strength of a daily habit", async () => {
    const person = await premium();
    // To the last day, which is today.
    const marks = [...'dddmdddddda-dddddmdddddddd-'].slice(0, 26).concat('d') as LoopMark[];
    await imported(person, await loopDatabase(version, markedHabit('Daily', marks)));
    const { stats } = (await habitsOf(person)).find(({ name }) => name === 'Daily')!;
    const shown = asLoopCounts(marks);
    expect(stats).toMatchObject({ currentStreak: shown.current, bestStreak: shown.best });
    expect(Math.abs(stats.strength - shown.strength)).toBeLessThan(0.01);
  });
});

it('a zip arrives, and what does not is named', async () => {
  const person = await premium();
  const report = await imported(person, zipOf(LOOP_ZIP));
  expect(report).toMatchObject({
    ...{ format: 'loop-zip', rejects: [], habits: { created: 3 }, logs: { created: 6, rejected: 0 } },
  });
  const [walk, pages, swim] = await habitsOf(person);
  expect([walk, pages, swim]).toMatchObject([
    { name: 'Walk, far', cadence: 'DAILY', description: 'Did you walk?', status: 'ACTIVE' },
    { name: 'Pages', cadence: 'DAILY', status: 'ACTIVE' },
    { name: 'Swim', cadence: 'WEEKLY', targetPerWeek: 3, status: 'ARCHIVED' },
  ]);
  expect(await logsOf(person, walk!)).toEqual(['2026-01-05 COMPLETED 1', '2026-01-08 SKIPPED 0 a\nnote']);
  expect(await logsOf(person, pages!)).toEqual(['2026-01-05 COMPLETED 1', '2026-01-06 PARTIAL 0.25']);
  expect(await logsOf(person, swim!)).toEqual(['2026-01-04 COMPLETED 1', '2026-01-07 COMPLETED 1']);
  for (const beginning of ['"Pages" counts', 'Days marked as not done', 'Days filled in']) {
    expect(report.notes.filter((note) => note.startsWith(beginning))).toHaveLength(1);
  }
  expect(await imported(person, zipOf(LOOP_ZIP))).toMatchObject({ habits: { created: 0 }, logs: { created: 0 } });
});
