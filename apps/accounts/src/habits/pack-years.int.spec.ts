import { audit } from '@evenkeel/ops/audit';
import { dayNumber, STATUS_CODES } from '@evenkeel/scoring';
import fc from 'fast-check';
import { Accounts } from '../accounts.fixture';
import { HabitsOf, somebody } from './habits.fixture';
import { readHistories } from './read-histories';

const SEED = Number(process.env.PACK_SEED ?? Math.floor(Math.random() * 2 ** 31));

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());

const query = <Row = object>(sql: string, values: unknown[] = []) =>
  accounts.database.dataSource.query<Row[]>(sql, values);

const INSERT = `
  INSERT INTO habit_logs (user_id, id, habit_id, occurred_at, local_date, status, completion_rate, mood_score, energy_score,
    stress_score, created_at, change_number)
  VALUES ($1, gen_random_uuid(), $2, $3::date + interval '8 hours', $3, $4, $5, $6, $7, $8, now(), 0)`;

/** Days, and what else the engine reads of each log, from the rows themselves. */
async function storedLogs(habitId: string): Promise<string[]> {
  const rows = await query<Record<string, number> & { day: string; status: keyof typeof STATUS_CODES }>(
    `SELECT local_date::text AS day, status, (completion_rate * 10000)::int AS rate, coalesce(mood_score, 0) AS mood,
       coalesce(energy_score, 0) AS energy, coalesce(stress_score, 0) AS stress
     FROM habit_logs WHERE habit_id = $1`,
    [habitId],
  );
  return rows
    .map(({ day, status, rate, mood, energy, stress }) =>
      [dayNumber(day), STATUS_CODES[status], rate, mood, energy, stress].join(' '),
    )
    .sort();
}

async function readLogs(ana: HabitsOf, habitId: string): Promise<string[]> {
  const [found] = await readHistories(accounts.database.dataSource, ana.person.id, { ids: [habitId] });
  const { days, statuses, completionRates, moodScores, energyScores, stressScores } = found!.history.packed;
  expect([...days]).toEqual([...days].sort((a, b) => a - b));
  return [...days]
    .map((day, at) =>
      [day, statuses[at], completionRates[at], moodScores[at], energyScores[at], stressScores[at]].join(' '),
    )
    .sort();
}

const packedYears = async (habitId: string) =>
  (await query<{ year: number }>('SELECT year FROM packed_years WHERE habit_id = $1 ORDER BY year', [habitId])).map(
    ({ year }) => year,
  );

const log = async (ana: HabitsOf, habitId: string, day: string, rate = 1, mood: number | null = null) =>
  query(INSERT, [ana.person.id, habitId, day, rate === 1 ? 'COMPLETED' : 'PARTIAL', rate, mood, null, null]);

it('a reader packs the years before that of the newest log, and a change of a log forgets its year alone', async () => {
  const ana = await somebody(accounts);
  const { id } = await ana.habit();
  for (const day of ['2021-12-31', '2022-01-01', '2024-02-29', '2026-01-31']) await log(ana, id, day);
  expect(await packedYears(id)).toEqual([]);
  expect(await readLogs(ana, id)).toEqual(await storedLogs(id));
  expect(await packedYears(id)).toEqual([2021, 2022, 2023, 2024, 2025]);

  await log(ana, id, '2024-03-01', 0.3333, 7);
  expect(await packedYears(id)).toEqual([2021, 2022, 2023, 2025]);
  expect(await readLogs(ana, id)).toEqual(await storedLogs(id));

  await query(`UPDATE habit_logs SET local_date = '2023-05-05' WHERE habit_id = $1 AND local_date = '2022-01-01'`, [
    id,
  ]);
  expect(await packedYears(id)).toEqual([2021, 2024, 2025]);
  await query(`DELETE FROM habit_logs WHERE habit_id = $1 AND local_date = '2021-12-31'`, [id]);
  expect(await readLogs(ana, id)).toEqual(await storedLogs(id));

  await ana.ask('DELETE', `/${id}`);
  expect(await packedYears(id)).toEqual([]);
});

it('nobody waits for somebody who changes the same user, nor reads too little', async () => {
  const ana = await somebody(accounts);
  const { id } = await ana.habit();
  for (const day of ['2023-01-01', '2026-01-31']) await log(ana, id, day);
  const writer = accounts.database.dataSource.createQueryRunner();
  await writer.startTransaction();
  await writer.query('UPDATE users SET change_number = change_number + 1 WHERE id = $1', [ana.person.id]);
  await writer.query(INSERT, [ana.person.id, id, '2024-06-01', 'COMPLETED', 1, null, null, null]);
  // Without the log that is not committed, and without anything packed.
  expect(await readLogs(ana, id)).toEqual(await storedLogs(id));
  expect(await packedYears(id)).toEqual([]);
  await writer.commitTransaction();
  await writer.release();
  expect(await readLogs(ana, id)).toHaveLength(3);
  expect(await packedYears(id)).toEqual([2023, 2024, 2025]);
});

const date = fc
  .tuple(fc.integer({ min: 2020, max: 2026 }), fc.integer({ min: 1, max: 12 }), fc.constantFrom(1, 15, 28))
  .map(([year, month, day]) => `${year}-${String(month).padStart(2, '0')}-${day < 10 ? '0' : ''}${day}`);
const score = fc.option(fc.integer({ min: 1, max: 10 }));
const rate = fc.integer({ min: 0, max: 10_000 }).map((tenths) => tenths / 10_000);
const change = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('add' as const), date, rate, score, score, score) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('remove' as const), date) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('move' as const), date, date) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('read' as const)) },
);

it(
  `whatever is changed, what is read is what is stored (PACK_SEED=${SEED})`,
  async () => {
    const ana = await somebody(accounts);
    await accounts.grantPremium(ana.person.id);
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 4, maxLength: 20 }), async (changes) => {
        const { id } = await ana.habit();
        for (const one of changes) {
          if (one[0] === 'add') {
            const [, day, completion, ...scores] = one;
            const status = completion === 1 ? 'COMPLETED' : completion === 0 ? 'SKIPPED' : 'PARTIAL';
            await query(INSERT, [ana.person.id, id, day, status, completion, ...scores]);
          } else if (one[0] === 'remove') {
            await query('DELETE FROM habit_logs WHERE habit_id = $1 AND local_date <= $2', [id, one[1]]);
          } else if (one[0] === 'move') {
            const [, from, to] = one;
            await query('UPDATE habit_logs SET local_date = $3 WHERE habit_id = $1 AND local_date > $2', [
              id,
              from,
              to,
            ]);
          } else expect(await readLogs(ana, id)).toEqual(await storedLogs(id));
        }
        expect(await readLogs(ana, id)).toEqual(await storedLogs(id));
      }),
      { numRuns: sized(25, 300), seed: SEED },
    );
    expect(await audit(accounts.database.dataSource)).toEqual([]);
  },
  sized(60_000, 600_000),
);

it('the audit finds a packed year that its logs do not make', async () => {
  const ana = await somebody(accounts);
  const { id } = await ana.habit();
  for (const day of ['2025-01-01', '2026-01-31']) await log(ana, id, day);
  await readLogs(ana, id);
  await query(`UPDATE packed_years SET logs = ''::bytea WHERE habit_id = $1`, [id]);
  expect(await audit(accounts.database.dataSource)).toMatchObject([
    { promise: 'P6', what: 'a packed year is not what its logs make it', row: { habit_id: id, year: 2025 } },
  ]);
});
