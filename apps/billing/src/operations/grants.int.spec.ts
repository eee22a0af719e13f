import { randomUUID } from 'node:crypto';
import { UserRegistered } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import { auditBilling } from '../audited.fixture';
import { Billing } from '../billing.fixture';
import { run } from './grant-command';

let billing: Billing;
beforeAll(async () => {
  billing = await Billing.start();
});
afterAll(() => billing.close());

async function command(...args: string[]): Promise<{ code: number; said: string }> {
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const env = { DATABASE_URL: billing.database.url, OPERATOR: 'ada' };
  return { code: await run(args, env, { out: say, err: say }), said: said.join('') };
}

/** Somebody whom billing knows. */
async function user(): Promise<string> {
  const userId = randomUUID();
  const data: UserRegistered = { userId, registeredAt: '2026-01-04T08:00:00.000Z' };
  await billing.accounts.publish({ event: UserRegistered, key: userId, data });
  const { dataSource } = billing.database;
  await eventually(
    async () => (await dataSource.query<object[]>('SELECT FROM people WHERE user_id = $1', [userId])).length === 1,
    { withinMs: 20_000 },
  );
  return userId;
}

const actionsAbout = (subject: string) =>
  billing.database.dataSource.query<object[]>(
    `SELECT operator, action, step, arguments FROM operator_actions WHERE subject = $1 ORDER BY occurred_at, id`,
    [subject],
  );

const granted = (said: string) => /Grant ([0-9a-f-]{36})\./.exec(said)![1]!;

it('gives Premium until a date or without an end, publishes it at once, and takes it back', async () => {
  const userId = await user();
  const [limited, open] = [
    await command('grant', userId, '--until', '2099-03-01', '--note', 'ticket 7'),
    await command('grant', userId.toUpperCase(), '--until', 'open', '--note', 'ticket 8'),
  ];
  expect(limited).toEqual({
    code: 0,
    said: expect.stringMatching(`^Granted Premium to ${userId} until 2099-03-01T00:00:00.000Z. Grant `),
  });
  expect([open.code, open.said]).toEqual([0, expect.stringContaining('without an end')]);
  const ids = [granted(limited.said), granted(open.said)] as const;
  expect(await command('revoke', ids[0])).toEqual({ code: 0, said: `Revoked grant ${ids[0]} of ${userId}.\n` });
  expect(await command('revoke', ids[0])).toEqual({ code: 1, said: 'There is no live grant of this id.\n' });

  const [first, second] = [
    { id: ids[0], until: '2099-03-01T00:00:00.000Z' },
    { id: ids[1], until: null },
  ];
  const changes = (await billing.events(userId)).map(({ type, data }) => [
    type,
    data['version'],
    data['cause'],
    data['grants'],
    data['subscriptions'],
  ]);
  expect(changes).toEqual([
    ['subscription.changed', 1, 'operator.grant', [first], []],
    ['subscription.changed', 2, 'operator.grant', [first, second], []],
    ['subscription.changed', 3, 'operator.revoke', [second], []],
  ]);
  expect(await auditBilling(billing.database.dataSource)).toEqual([]);

  const limitedTo = { until: '2099-03-01T00:00:00.000Z', note: 'ticket 7' };
  expect((await actionsAbout(userId)).slice(0, 2)).toEqual([
    { operator: 'ada', action: 'billing:grant', step: 'begun', arguments: limitedTo },
    { operator: 'ada', action: 'billing:grant', step: 'done', arguments: limitedTo },
  ]);
  const steps = (await actionsAbout(ids[0])) as { step: string }[];
  expect(steps.map(({ step }) => step)).toEqual(['begun', 'done', 'begun', 'unchanged']);
});

it('knows nobody whom accounts has not named', async () => {
  const userId = randomUUID();
  expect(await command('grant', userId, '--until', 'open', '--note', 'x')).toEqual({
    code: 1,
    said: 'There is no user of this id.\n',
  });
  expect(await billing.events(userId)).toEqual([]);
});

it.each([
  [['grant'], 'name one user, by its id'],
  [['grant', 'ana@example.com', '--until', 'open', '--note', 'x'], 'name one user, by its id'],
  [['grant', randomUUID(), '--until', 'open'], '--note must say what it is for'],
  [['grant', randomUUID(), '--note', 'x'], '--until must be a date'],
  [['grant', randomUUID(), '--until', 'tomorrow', '--note', 'x'], '--until must be a date'],
  [['grant', randomUUID(), '--until', '2026-13-01', '--note', 'x'], '--until must be a date'],
  [['revoke', 'all'], 'name one grant, by its id'],
])('refuses %p with 2 and a hint', async (args, message) => {
  const { code, said } = await command(...args);
  expect([code, said]).toEqual([2, expect.stringContaining(message)]);
  expect(said).toContain('--help');
});

it('gives nothing that is over already', async () => {
  const { code, said } = await command('grant', randomUUID(), '--until', '2020-01-01', '--note', 'x');
  expect([code, said]).toEqual([2, '--until is over already.\n']);
});
