import { randomUUID } from 'node:crypto';
import { Accounts } from '../accounts.fixture';
import { issuesOf, somebody, UNKNOWN_ID, type Habit, type HabitsOf } from './habits.fixture';

const accounts = Accounts.forSuite();
let ana: HabitsOf;
beforeAll(async () => {
  ana = await somebody(accounts);
  await accounts.grantPremium(ana.person.id);
});

const scheduleOf = (habit: Record<string, unknown>) => [habit.cadence, habit.targetPerWeek, habit.targetDaysMask];

describe('creating a habit', () => {
  it('answers 201 with the whole record', async () => {
    const said = { description: 'Five miles', category: 'health', cadence: 'CUSTOM', targetDaysMask: 21, order: -1 };
    const sent = { name: '  Morning run ', color: '#2E7D32', startDate: '2025-11-03T07:00:00+01:00' };
    const { status, body } = await ana.ask('POST', '', { ...said, ...sent });
    const counts = { completionRate: 0, currentStreak: 0, bestStreak: 0, strength: 0, skipBudgetRemaining: 9 };
    const record = {
      ...said,
      id: expect.any(String) as string,
      clientId: null,
      name: 'Morning run',
      color: '#2e7d32',
      targetPerWeek: 3,
      startDate: '2025-11-03T06:00:00.000Z',
      status: 'ACTIVE',
      archivedAt: null,
      createdAt: '2026-01-31T12:00:00.000Z',
      updatedAt: '2026-01-31T12:00:00.000Z',
      stats: { ...counts, streakUnit: 'day', lastLogAt: null },
    };
    expect([status, body]).toEqual([201, record]);
  });

  it.each([
    [{}, ['DAILY', 7, 127]],
    [{ cadence: 'WEEKLY' }, ['WEEKLY', 1, 0]],
    [{ targetPerWeek: 7 }, ['DAILY', 7, 127]],
    [{ targetPerWeek: 14, cadence: 'WEEKLY' }, ['WEEKLY', 14, 0]],
    [{ targetDaysMask: 96 }, ['DAILY', 2, 96]],
    [{ targetDaysMask: 21, targetPerWeek: 9 }, ['DAILY', 9, 21]],
    [{ targetDaysMask: 0 }, ['DAILY', 7, 0]],
  ])('%j has the schedule %j', async (terms, schedule) => {
    const habit = await ana.habit(terms);
    expect([...scheduleOf(habit), habit.startDate]).toEqual([...schedule, '2026-01-31T12:00:00.000Z']);
  });

  it.each<[object, string]>([
    [{ startDate: '0001-01-01T00:00:00Z' }, '/startDate out_of_range'],
    [{ startDate: '9999-12-31T23:59:59-12:00' }, '/startDate out_of_range'],
    [{ name: ' x ' }, '/name too_short'],
    [{ name: '\ud800x' }, '/name bad_format'],
    [{ userId: UNKNOWN_ID }, '/userId unknown_property'],
  ])('refuses %j', async (body, issue) => {
    expect(issuesOf(await ana.ask('POST', '', { name: 'Run', ...body }))).toEqual([issue]);
  });
});

describe('a clientId', () => {
  it('makes one habit of a person, and none once that was deleted', async () => {
    const body = { name: 'Read', clientId: randomUUID(), startDate: '2026-01-01T00:00:00Z' };
    const { body: stored } = await ana.ask('POST', '', body);
    expect(stored.clientId).toBe(body.clientId);
    const again = { ...body, startDate: '2026-01-01T01:00:00+01:00', clientId: body.clientId.toUpperCase() };
    expect(await ana.ask('POST', '', again)).toMatchObject({ status: 200, body: stored });
    expect((await (await somebody(accounts)).ask('POST', '', body)).status).toBe(201);
    await ana.ask('DELETE', `/${String(stored.id)}`);
    expect(await ana.ask('POST', '', body)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  });

  it('answers 409 with both when it comes again with other content than what is stored by now', async () => {
    const body = { name: 'Read', clientId: randomUUID(), color: '#2e7d32' };
    const { body: stored } = await ana.ask('POST', '', body);
    for (const other of [
      { name: 'Another name' },
      { description: 'in the park' },
      { targetPerWeek: 3 },
      { startDate: '2026-01-01T00:00:00.000Z' },
      { order: 2 },
      { color: '#ffffff' },
    ]) {
      const sent = { clientId: body.clientId, ...other };
      const reply = await ana.ask('POST', '', { ...body, ...other });
      expect(reply).toMatchObject({ status: 409, body: { error: 'conflict', details: { stored, sent } } });
    }
    await ana.ask('PATCH', `/${String(stored.id)}`, { name: 'Read more' });
    expect((await ana.ask('POST', '', body)).status).toBe(409);
    expect((await ana.ask('POST', '', { ...body, name: 'Read more' })).status).toBe(200);
  });

  it('is not shown where only an Idempotency-Key named the request, which is repeated with its ETag', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const made: string[] = [];
    for (const log of [false, true]) {
      const path = log ? `/${made[0]!}/logs` : '';
      const body = log ? { occurredAt: '2026-01-31T08:00:00Z', status: 'COMPLETED' } : { name: 'Read' };
      const [first, second] = [await ana.ask('POST', path, body, headers), await ana.ask('POST', path, body, headers)];
      expect([second.status, second.text]).toEqual([201, first.text]);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      expect([first.body.clientId, second.headers.get('etag')]).toEqual([null, `"${String(first.body.updatedAt)}"`]);
      made.push(String(first.body.id));
    }
    await ana.ask('DELETE', `/${made[0]!}/logs/${made[1]!}`);
    await ana.ask('DELETE', `/${made[0]!}`);
    const { body } = await ana.ask('GET', '/changes?limit=1000');
    const gone = (body.deleted as { id: string; clientId: unknown }[]).filter(({ id }) => made.includes(id));
    expect(gone.map(({ clientId }) => clientId)).toEqual([null, null]);
  });
});

describe('the cap of the plan', () => {
  it('holds 3 active habits on Free; archived ones are not part of the cap', async () => {
    const free = await somebody(accounts);
    const [first] = [await free.habit(), await free.habit(), await free.habit()];
    const refused = await free.ask('POST', '', { name: 'Fourth' });
    const quota = { feature: 'active_habits', used: 3, limit: 3, limit_kind: 'hard', period: null };
    const paths = { upgrade_path: '/v1/billing/checkout', plans_path: '/v1/billing/plans' };
    const message = 'The Free plan allows 3 active habits.';
    const details = { ...quota, ...paths, payment_headers_accepted: false };
    expect([refused.status, refused.body]).toEqual([402, { error: 'quota_exceeded', message, details }]);
    expect((await free.ask('POST', `/${first.id}/archive`)).status).toBe(200);
    await free.habit();
    const unarchive = () => free.ask('POST', `/${first.id}/unarchive`);
    expect(await unarchive()).toMatchObject({ status: 402, body: { details: { used: 3, limit: 3 } } });
    await accounts.grantPremium(free.person.id);
    expect((await unarchive()).status).toBe(200);
  });

  it('is 500 habits in all for everybody', async () => {
    const many = await somebody(accounts);
    await accounts.grantPremium(many.person.id);
    await accounts.sql(
      `INSERT INTO habits SELECT (r).* FROM generate_series(1, 499) AS n,
         LATERAL (SELECT jsonb_populate_record(h, jsonb_build_object('id', gen_random_uuid())) AS r
                  FROM habits h WHERE h.id = $1 AND n IS NOT NULL) AS copies`,
      (await many.habit()).id,
    );
    expect(issuesOf(await many.ask('POST', '', { name: 'Too many' }))).toEqual([' too_many_items']);
  });

  it('is never passed, however many come at once', async () => {
    for (let round = 0; round < 20; round++) {
      const free = await somebody(accounts);
      const replies = await Promise.all(Array.from({ length: 10 }, () => free.ask('POST', '', { name: 'Run' })));
      expect(replies.map(({ status }) => status).sort()).toEqual([...Array(3).fill(201), ...Array(7).fill(402)]);
    }
  });
});

it('lists habits by status, oldest first, and finds each', async () => {
  const reader = await somebody(accounts);
  const { id } = await reader.habit({ name: 'Aa' });
  accounts.clock.advanceMs(1);
  const second = await reader.habit({ name: 'Bb' });
  await reader.ask('POST', `/${id}/archive`);
  const names = async (query: string) => (await reader.list(query)).map(({ name }) => name);
  expect(await names('?status=archived')).toEqual(['Aa']);
  expect(await names('?status=all')).toEqual(['Aa', 'Bb']);
  expect((await reader.ask('GET', '')).body).toEqual({ habits: [second], count: 1 });
  expect((await reader.ask('GET', `/${second.id}`)).body).toEqual(second);
  expect(issuesOf(await reader.ask('GET', '?status=gone'))).toEqual(['/status not_in_enum']);
});

it("does not tell somebody else's habit from a missing one", async () => {
  const [{ id }, other] = [await ana.habit(), await somebody(accounts)];
  expect((await other.ask('GET', `/${id}`)).text).toBe((await other.ask('GET', `/${UNKNOWN_ID}`)).text);
  expect(issuesOf(await other.ask('DELETE', '/not-a-uuid'))).toEqual(['/habitId bad_format']);
});

describe('changing a habit', () => {
  it('changes what is given, clears what is null, and leaves the rest', async () => {
    const given = { description: 'Slowly', category: 'health', startDate: '2025-12-01T00:00:00Z', order: 3 };
    const before: Habit = await ana.habit(given);
    accounts.clock.advanceMs(1_000);
    const { body } = await ana.ask('PATCH', `/${before.id}`, { name: ' Walk ', description: null, color: '#ABCDEF' });
    const updatedAt = accounts.clock.now().toISOString();
    expect(body).toEqual({ ...before, name: 'Walk', description: null, color: '#abcdef', updatedAt });
    const none = { category: null, startDate: null, order: null };
    const { body: cleared } = await ana.ask('PATCH', `/${before.id}`, none);
    expect(cleared).toMatchObject({ ...none, startDate: before.createdAt });
    expect((await ana.ask('GET', `/${before.id}`)).body).toEqual(cleared);
  });

  it.each([
    [{ targetDaysMask: 21 }, { targetDaysMask: 3 }, ['DAILY', 2, 3]],
    [{ targetDaysMask: 21 }, { targetDaysMask: 0 }, ['DAILY', 3, 0]],
    [{ targetDaysMask: 21 }, { targetPerWeek: 4 }, ['DAILY', 4, 0]],
    [{ targetDaysMask: 21 }, { cadence: 'DAILY' }, ['DAILY', 3, 21]],
    [{ targetDaysMask: 21 }, { cadence: 'WEEKLY' }, ['WEEKLY', 1, 0]],
    [{ targetPerWeek: 3 }, { name: 'Walk' }, ['DAILY', 3, 0]],
  ])('%j, changed by %j, has the schedule %j', async (terms, change, schedule) => {
    const { id } = await ana.habit(terms);
    expect(scheduleOf((await ana.ask('PATCH', `/${id}`, change)).body)).toEqual(schedule);
  });

  it('archives and brings back, and repeats change nothing', async () => {
    const { id } = await ana.habit();
    for (const [step, status, archivedAt] of [
      ['archive', 'ARCHIVED', expect.any(String) as string],
      ['unarchive', 'ACTIVE', null],
    ] as const) {
      const { body } = await ana.ask('POST', `/${id}/${step}`);
      expect(body).toMatchObject({ status, archivedAt });
      accounts.clock.advanceMs(60_000);
      expect((await ana.ask('POST', `/${id}/${step}`)).body).toEqual(body);
    }
  });
});

it.each(['habit', 'log'])('a condition holds while the %s is as it was, and is 412 after a change', async (kind) => {
  const { id } = await ana.habit();
  const created = await ana.log(id);
  const path = kind === 'habit' ? `/${id}` : `/${id}/logs/${String(created.body.id)}`;
  const first = (kind === 'habit' ? await ana.ask('GET', path) : created).headers.get('etag')!;
  const [one, two] = kind === 'habit' ? [{ name: 'One' }, { name: 'Two' }] : [{ note: 'one' }, { note: 'two' }];
  const change = (tag: string | undefined, body: object = one) =>
    ana.ask('PATCH', path, body, tag === undefined ? {} : { 'if-match': tag });
  const { body, headers } = await change(first);
  expect(body).toMatchObject(one);
  expect(headers.get('etag')).toBe(`"${String(body.updatedAt)}"`);

  const lost = await change(first, two);
  expect(lost).toMatchObject({ status: 412, body: { error: 'precondition_failed' } });
  expect(lost.body.details).toEqual({ updatedAt: body.updatedAt });
  expect((await ana.ask('DELETE', path, undefined, { 'if-match': first })).status).toBe(412);
  expect((await change('"never"', two)).status).toBe(412);
  const sameMoment = `"${String(body.updatedAt).replace('Z', '+00:00')}"`;
  for (const tag of [sameMoment, '"never", *', '*', undefined]) expect((await change(tag)).status).toBe(200);
  const { updatedAt } = (await change(undefined)).body;
  expect((await change(`W/"${String(updatedAt)}"`, two)).status).toBe(200);
  expect((await ana.ask('DELETE', path, undefined, { 'if-match': '*' })).status).toBe(204);
  expect((await change('*', two)).status).toBe(404);
});

it('lets one of many changes through that know the same version', async () => {
  const { id } = await ana.habit();
  const tag = (await ana.ask('GET', `/${id}`)).headers.get('etag')!;
  const names = Array.from({ length: 10 }, (_, n) => `Name ${n}`);
  const replies = await Promise.all(names.map((name) => ana.ask('PATCH', `/${id}`, { name }, { 'if-match': tag })));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)]);
});

it('a habit has another updatedAt after each change, even of one moment', async () => {
  const { id, updatedAt } = await ana.habit();
  const seen = new Set([updatedAt]);
  for (const [method, path] of [
    ['POST', '/archive'],
    ['POST', '/unarchive'],
    ['PATCH', ''],
  ] as const)
    seen.add((await ana.ask(method, `/${id}${path}`, method === 'PATCH' ? { order: 3 } : undefined)).body.updatedAt);
  expect(seen.size).toBe(4);
});
