import { Accounts } from '../accounts.fixture';

const accounts = Accounts.forSuite();

it('takes a batch in time although its plans were made while there were few logs', async () => {
  const { id, token } = await accounts.person();
  const { body: habit } = await accounts.ask('POST', '/v1/habits', { token, body: { name: 'Run' } });
  const batch = async (count: number, firstDay: number) => {
    const logs = Array.from({ length: count }, (_, day) => ({
      habitId: habit['id'],
      occurredAt: new Date(Date.UTC(2020, 0, 1 + firstDay + day)).toISOString(),
      status: 'COMPLETED',
    }));
    return (await accounts.ask('POST', '/v1/habits/logs/batch', { token, body: { logs } })).status;
  };
  await batch(20, 0);
  await accounts.sql('VACUUM ANALYZE');
  for (let round = 0; round < 40; round++) await batch(1, 100 + round);
  await accounts.sql(
    `INSERT INTO habit_logs (user_id, id, habit_id, occurred_at, local_date, status, completion_rate, context_tags,
       created_at, change_number)
     SELECT $1::uuid, gen_random_uuid(), $2::uuid, '2001-01-01'::timestamptz, '2001-01-01'::date + n / 40, 'COMPLETED', 1,
       '{}', now(), 1 FROM generate_series(1, 60000) AS n`,
    id,
    habit['id'],
  );
  expect([await batch(500, 1_000), await batch(500, 1_500), await batch(500, 2_000)]).toEqual([200, 200, 200]);
});
