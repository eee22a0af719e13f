import type { Accounts, Person } from '../accounts.fixture';

/** A habit with so many logs, a day each, with notes that nothing else contains, of at least so many characters. */
export async function withLogs(accounts: Accounts, person: Person, logs: number, characters = 0): Promise<string> {
  const { dataSource } = accounts.database;
  const [habit] = await dataSource.query<{ id: string }[]>(
    `INSERT INTO habits (id, user_id, name, cadence, target_per_week, target_days_mask, start_date, start_day,
       start_given, created_at, updated_at, change_number)
     VALUES (gen_random_uuid(), $1, 'Morning run', 'DAILY', 7, 127, now(), '2026-01-01', true, now(), now(), 1)
     RETURNING id`,
    [person.id],
  );
  await dataSource.query(
    `INSERT INTO habit_logs (user_id, id, habit_id, occurred_at, local_date, status, completion_rate, note, created_at, change_number)
     SELECT $1, gen_random_uuid(), $2, '1999-12-31T12:00:00Z'::timestamptz + n * interval '1 day', '1999-12-31'::date + n,
       'COMPLETED', 1, rpad('felt like flying ' || n || ' ', greatest($4, 24), md5(n::text)), now(), 1
     FROM generate_series(1, $3) n`,
    [person.id, habit!.id, logs, characters],
  );
  return habit!.id;
}

/** Insights of a habit, so many of each day. */
export async function withInsights(
  accounts: Accounts,
  { id }: Person,
  habitId: string,
  days: number,
  codes: number,
): Promise<void> {
  for (let code = 1; code <= codes; code++) {
    await accounts.database.dataSource.query(
      `INSERT INTO insights (id, user_id, habit_id, kind, code, severity, title, body, evidence, period_from, period_to,
         free_readable, local_date, created_at)
       SELECT gen_random_uuid(), $1, $2, 'streak', 'code ' || $4::integer, 'info', '', '', '{}', day, day, true, day, day
       FROM generate_series(1, $3::integer) n, LATERAL (SELECT '2000-01-01'::date + n AS day) of_day`,
      [id, habitId, days, code],
    );
  }
}
