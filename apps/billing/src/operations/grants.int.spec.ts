import { randomUUID } from 'node:crypto';
import { auditBilling } from '../audited.fixture';
import { Billing } from '../billing.fixture';
import { run } from './grant-command';

const billing = Billing.forSuite();

async function command(...args: string[]): Promise<{ code: number; said: string }> {
  let said = '';
  const say = (text: string) => void (said += text);
  const env = { DATABASE_URL: billing.database.url, OPERATOR: 'ada' };
  return { code: await run(args, env, { out: say, err: say }), said };
}

const actionsAbout = (subject: string) =>
  billing.database.dataSource.query<object[]>(
    `SELECT operator, action, step, arguments FROM operator_actions WHERE subject = $1 ORDER BY occurred_at, id`,
    [subject],
  );

it('gives Premium until a date or without an end, publishes it at once, and takes it back', async () => {
  const { id: userId } = billing.person();
  await billing.know();
  const limited = await command('grant', userId, '--until', '2099-03-01', '--note', 'ticket 7');
  const open = await command('grant', userId.toUpperCase(), '--until', 'open', '--note', 'ticket 8');
  const idIn = (said: string, end: string) =>
    new RegExp(`^Granted Premium to ${userId} ${end}. Grant ([0-9a-f-]{36}).\n$`).exec(said)![1]!;
  const first = { id: idIn(limited.said, 'until 2099-03-01T00:00:00.000Z'), until: '2099-03-01T00:00:00.000Z' };
  const second = { id: idIn(open.said, 'without an end'), until: null };
  expect(await command('revoke', first.id)).toEqual({ code: 0, said: `Revoked grant ${first.id} of ${userId}.\n` });
  expect(await command('revoke', first.id)).toEqual({ code: 1, said: 'There is no live grant of this id.\n' });
  const changes = (await billing.events(userId)).map(({ data }) => [data['version'], data['cause'], data['grants']]);
  expect(changes).toEqual([
    [1, 'operator.grant', [first]],
    [2, 'operator.grant', [first, second]],
    [3, 'operator.revoke', [second]],
  ]);
  expect(await auditBilling(billing.database.dataSource)).toEqual([]);
  const given = { operator: 'ada', action: 'billing:grant', arguments: { until: first.until, note: 'ticket 7' } };
  expect((await actionsAbout(userId)).slice(0, 2)).toEqual([
    { ...given, step: 'begun' },
    { ...given, step: 'done' },
  ]);
  expect(await actionsAbout(first.id)).toMatchObject(
    ['begun', 'done', 'begun', 'unchanged'].map((step) => ({ action: 'billing:revoke', step })),
  );
});

it('knows nobody whom accounts has not named', async () => {
  const userId = randomUUID();
  const unknown = { code: 1, said: 'There is no user of this id.\n' };
  expect(await command('grant', userId, '--until', 'open', '--note', 'x')).toEqual(unknown);
  expect(await billing.events(userId)).toEqual([]);
});

const NOTE = ['--note', 'x'];

it.each([
  [['grant', '--until', 'open', ...NOTE], "missing required argument 'user id'"],
  [['grant', 'ana@example.com', '--until', 'open', ...NOTE], "for argument 'user id'. It must be an id."],
  [['grant', randomUUID(), '--until', 'open'], "required option '--note <text>' not specified"],
  [['grant', randomUUID(), '--until', 'open', '--note', ' '], 'It must say what it is for.'],
  [['grant', randomUUID(), ...NOTE], "required option '--until <date|open>' not specified"],
  [['grant', randomUUID(), '--until', '2026-13-01', ...NOTE], 'It must be a date such as 2026-12-31'],
  [['grant', randomUUID(), '--until', '2999-02-29', ...NOTE], 'It must be a date such as 2026-12-31'],
  [['grant', randomUUID(), '--until', '2020-01-01', ...NOTE], '--until is over already.'],
  [['revoke', 'all'], "for argument 'grant id'. It must be an id."],
])('refuses %p with 2 and says why', async (args, message) => {
  expect(await command(...args)).toEqual({ code: 2, said: expect.stringContaining(message) });
});
