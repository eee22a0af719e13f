import { randomUUID } from 'node:crypto';
import { DatabaseLine } from '@evenkeel/platform/testing';
import { Accounts } from '../accounts.fixture';
import { withLogs } from '../account/account.fixture';
import { issuesOf, somebody, UNKNOWN_ID, type HabitsOf } from '../habits/habits.fixture';
import { fileTransfer } from '../transfer/transfer.fixture';

let accounts: Accounts;
let ana: HabitsOf;
let run: string;
beforeAll(async () => {
  accounts = await Accounts.start();
  ana = await somebody(accounts);
  await accounts.grantPremium(ana.person.id);
  ({ id: run } = await ana.habit());
});
afterAll(() => accounts.close());

describe('changing a log', () => {
  const change = (id: unknown, body: unknown) => ana.ask('PATCH', `/${run}/logs/${String(id)}`, body);

  it('changes what is given, clears what is null, and leaves the rest', async () => {
    const { body: log } = await ana.log(run, { moodScore: 3, note: 'Cold', contextTags: ['park'], durationMinutes: 9 });
    const changed = await change(log.id, { moodScore: 4, note: null, contextTags: null });
    const updatedAt = expect.any(String) as string;
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...log, moodScore: 4, note: null, contextTags: [], updatedAt },
    ]);
    expect((await change(log.id, {})).body).toEqual({ ...changed.body, updatedAt });
  });

  it.each([
    [{ status: 'PARTIAL', completionRate: 0.3 }, { status: 'COMPLETED' }, ['COMPLETED', 1]],
    [{ status: 'PARTIAL', completionRate: 0.3 }, { completionRate: null }, ['PARTIAL', 0.5]],
    [{ status: 'PARTIAL', completionRate: 0.3 }, { status: 'PARTIAL' }, ['PARTIAL', 0.3]],
    [{ status: 'COMPLETED' }, { status: 'PARTIAL', completionRate: 0.12344 }, ['PARTIAL', 0.1234]],
    [{ status: 'COMPLETED' }, { status: 'SKIPPED' }, ['SKIPPED', 0]],
  ])('%j, changed by %j, is %j', async (terms, body, expected) => {
    const { body: log } = await ana.log(run, { ...terms, occurredAt: '2026-01-20T00:00:00Z' });
    const { body: changed } = await change(log.id, body);
    expect([changed.status, changed.completionRate]).toEqual(expected);
  });

  it('decides the day of a new occurredAt again', async () => {
    const { body: log } = await ana.log(run, { occurredAt: '2026-01-19T00:00:00Z' });
    const moved = await change(log.id, { occurredAt: '2026-01-18T23:00:00-05:00' });
    expect(moved).toMatchObject({
      status: 200,
      body: { localDate: '2026-01-18', occurredAt: '2026-01-19T04:00:00.000Z' },
    });
  });

  it('does not move a log to a day that is full, or in an archived habit', async () => {
    const { id } = await ana.habit();
    await Promise.all(Array.from({ length: 50 }, () => ana.log(id)));
    const { body: log } = await ana.log(id, { occurredAt: '2026-01-19T00:00:00Z' });
    const move = () => ana.ask('PATCH', `/${id}/logs/${String(log.id)}`, { occurredAt: '2026-01-31T01:00:00Z' });
    const full = await move();
    expect([full.status, issuesOf(full)]).toEqual([400, [' too_many_items']]);
    await ana.ask('POST', `/${id}/archive`);
    expect((await move()).status).toBe(404);
    expect((await ana.ask('PATCH', `/${id}/logs/${String(log.id)}`, { note: 'Late' })).status).toBe(200);
  });

  it.each([
    [{ status: null }, ['/status not_in_enum']],
    [{ occurredAt: null }, ['/occurredAt bad_format']],
    [{ completionRate: 0.5 }, ['/completionRate conflict']],
    [{ occurredAt: '1999-12-31T00:00:00Z' }, ['/occurredAt out_of_range']],
    [{ clientId: UNKNOWN_ID }, ['/clientId unknown_property']],
    [{ localDate: '2026-01-01' }, ['/localDate unknown_property']],
  ])('refuses %j', async (body, issues) => {
    const { body: log } = await ana.log(run, { occurredAt: '2026-01-17T00:00:00Z' });
    const reply = await change(log.id, body);
    expect([reply.status, issuesOf(reply)]).toEqual([400, issues]);
  });

  it("deletes for good, and neither finds a log of another habit nor somebody else's", async () => {
    const { body: log } = await ana.log(run, { occurredAt: '2026-01-16T00:00:00Z' });
    const { id: walk } = await ana.habit();
    const other = await somebody(accounts);
    const path = `/logs/${String(log.id)}`;
    for (const [of, habit] of [
      [ana, walk],
      [other, run],
    ] as const) {
      for (const method of ['PATCH', 'DELETE']) {
        const { status, body } = await of.ask(method, `/${habit}${path}`, method === 'PATCH' ? {} : undefined);
        expect([status, body]).toEqual([404, { error: 'not_found', message: 'There is no such log.' }]);
      }
      expect((await of.ask('GET', `/${UNKNOWN_ID}/logs`)).status).toBe(404);
    }
    expect((await ana.ask('DELETE', `/${run}${path}`)).status).toBe(204);
    expect((await ana.ask('DELETE', `/${run}${path}`)).status).toBe(404);
    expect((await ana.ask('DELETE', `/${run}/logs/one`)).status).toBe(400);
  });
});

describe('after a downgrade', () => {
  it('the three most recently logged habits take logs', async () => {
    const eva = await somebody(accounts);
    await accounts.grantPremium(eva.person.id);
    const habits: string[] = [];
    for (let n = 0; n < 5; n++) {
      accounts.clock.advanceMs(1_000);
      habits.push((await eva.habit()).id);
    }
    for (const n of [4, 0, 2]) {
      accounts.clock.advanceMs(1_000);
      await eva.log(habits[n]!);
    }
    const statuses = async () => {
      const replies = [];
      for (const id of habits) replies.push((await eva.log(id)).status);
      return replies;
    };
    await accounts.grantPremium(eva.person.id, accounts.clock.now());
    expect(await statuses()).toEqual([201, 402, 201, 402, 201]);
    expect(await eva.log(habits[1]!)).toMatchObject({
      body: { error: 'quota_exceeded', details: { feature: 'active_habits', used: 5, limit: 3 } },
    });
    expect(await eva.list()).toHaveLength(5);

    // Of those that were never logged, the older one follows.
    await eva.ask('POST', `/${habits[4]!}/archive`);
    expect(await statuses()).toEqual([201, 201, 201, 402, 404]);
    await eva.ask('POST', `/${habits[0]!}/archive`);
    expect(await statuses()).toEqual([404, 201, 201, 201, 404]);
  });
});

it('keeps to the 50 logs of a day, also among those of one batch', async () => {
  const of = await somebody(accounts);
  const { id: habitId } = await of.habit();
  for (let n = 0; n < 45; n++) await of.log(habitId);
  const days = ['2026-01-31', '2026-01-30'].map((day) => `${day}T08:00:00Z`);
  const logs = Array.from({ length: 12 }, (_, n) => ({ habitId, status: 'COMPLETED', occurredAt: days[n % 2] }));
  const { body } = await of.ask('POST', '/logs/batch', { logs });
  const statuses = (body.results as { status: string }[]).map(({ status }) => status);
  expect(statuses).toEqual([...Array(10).fill('created'), 'rejected', 'created']);
});

it('keeps to the 100,000 logs of a person, at every door', async () => {
  const of = await somebody(accounts);
  const { id: habitId } = await of.habit();
  await withLogs(accounts, of.person, 99_998);
  await accounts.database.dataSource.query('UPDATE users SET change_number = 99999 WHERE id = $1', [of.person.id]);
  const logs = [29, 30, 31].map((day) => ({ habitId, status: 'COMPLETED', occurredAt: `2026-01-${day}T08:00:00Z` }));
  const { body } = await of.ask('POST', '/logs/batch', { logs });
  const results = body.results as { status: string; log?: { id: string } }[];
  expect(results.map(({ status }) => status)).toEqual(['created', 'created', 'rejected']);

  const late = await of.log(habitId);
  expect([late.status, issuesOf(late)]).toEqual([400, [' too_many_items']]);
  const { imported } = fileTransfer(() => accounts);
  expect(await imported(of.person, 'habit,date,value\nSwim,2026-01-30,yes\n')).toMatchObject({
    logs: { created: 0, rejected: 1 },
    rejects: [{ reason: 'a person has at most 100,000 logs' }],
  });
  await of.ask('DELETE', `/${habitId}/logs/${results[0]!.log!.id}`);
  expect((await of.log(habitId)).status).toBe(201);
});

const LOG = { occurredAt: '2026-01-31T08:00:00Z', status: 'COMPLETED' };

it.each<[string, string, (habitId: string) => object]>([
  ['a habit', '', () => ({ name: 'Swim' })],
  ['a log', '/:id/logs', () => LOG],
  ['a batch', '/logs/batch', (habitId) => ({ logs: [{ habitId, ...LOG }] })],
])(
  '%s that was stored and answered with 503 is answered, and stored once, under its Idempotency-Key',
  async (...of) => {
    const [kind, path, bodyOf] = of;
    const line = await DatabaseLine.to(accounts.database.url);
    const broken = await Accounts.start({ DATABASE_URL: line.url });
    try {
      const eve = await somebody(broken, { email: `${kind.replace(' ', '-')}-stored@example.com` });
      const { id } = await eve.habit();
      const headers = { 'idempotency-key': randomUUID() };
      const send = () => eve.ask('POST', path.replace(':id', id), bodyOf(id), headers);
      const stored = async () => {
        const { habits, logs } = (await eve.ask('GET', '/changes')).body as { habits: unknown[]; logs: unknown[] };
        return habits.length + logs.length;
      };
      line.lose({ statement: 'COMMIT', loss: 'unanswered' });
      expect((await send()).status).toBe(503);
      expect(await stored()).toBe(2);
      const answered = await send();
      expect(answered).toMatchObject(
        kind === 'a batch' ? { status: 200, body: { results: [{ status: 'created' }] } } : { status: 201 },
      );
      expect(await send()).toMatchObject({ status: answered.status, text: answered.text });
      expect(await stored()).toBe(2);
    } finally {
      await broken.close();
      line.cut();
    }
  },
);
