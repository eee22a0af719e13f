import { randomUUID } from 'node:crypto';
import { Accounts } from '../accounts.fixture';
import { issuesOf, somebody, UNKNOWN_ID, type HabitsOf } from './habits.fixture';

let accounts: Accounts;
let ana: HabitsOf;
beforeAll(async () => {
  accounts = await Accounts.start();
  ana = await somebody(accounts);
  await accounts.grantPremium(ana.person.id);
});
afterAll(() => accounts.close());

describe('creating a habit', () => {
  it('answers 201 with the whole record', async () => {
    const { status, body } = await ana.ask('POST', '', {
      name: '  Morning run ',
      description: 'Five kilometres',
      category: 'health',
      cadence: 'CUSTOM',
      targetDaysMask: 21,
      startDate: '2025-11-03T07:00:00+01:00',
      order: -1,
      color: '#2E7D32',
    });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        clientId: null,
        order: -1,
        color: '#2e7d32',
        name: 'Morning run',
        description: 'Five kilometres',
        category: 'health',
        cadence: 'CUSTOM',
        targetPerWeek: 3,
        targetDaysMask: 21,
        startDate: '2025-11-03T06:00:00.000Z',
        status: 'ACTIVE',
        archivedAt: null,
        createdAt: '2026-01-31T12:00:00.000Z',
        updatedAt: '2026-01-31T12:00:00.000Z',
        stats: {
          completionRate: 0,
          currentStreak: 0,
          bestStreak: 0,
          streakUnit: 'day',
          strength: 0,
          skipBudgetRemaining: 9,
          lastLogAt: null,
        },
      },
    ]);
  });

  it.each([
    [{}, ['DAILY', 7, 127]],
    [{ cadence: 'CUSTOM' }, ['CUSTOM', 7, 127]],
    [{ cadence: 'WEEKLY' }, ['WEEKLY', 1, 0]],
    [{ targetPerWeek: 7 }, ['DAILY', 7, 127]],
    [{ targetPerWeek: 4 }, ['DAILY', 4, 0]],
    [{ targetPerWeek: 14, cadence: 'WEEKLY' }, ['WEEKLY', 14, 0]],
    [{ targetDaysMask: 96 }, ['DAILY', 2, 96]],
    [{ targetDaysMask: 21, targetPerWeek: 9 }, ['DAILY', 9, 21]],
    [{ targetDaysMask: 0 }, ['DAILY', 7, 0]],
    [{ targetDaysMask: 0, cadence: 'WEEKLY' }, ['WEEKLY', 1, 0]],
  ])('%j has the schedule %j', async (terms, schedule) => {
    const habit = await ana.habit(terms);
    expect([habit.cadence, habit.targetPerWeek, habit.targetDaysMask]).toEqual(schedule);
    expect(habit.startDate).toBe('2026-01-31T12:00:00.000Z');
  });

  it('creates one habit for a clientId, and none when that was deleted', async () => {
    const body = { name: 'Read', clientId: randomUUID() };
    const first = await ana.ask('POST', '', body);
    expect(first.status).toBe(201);
    const again = await ana.ask('POST', '', body);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(first.body.clientId).toBe(body.clientId);

    const other = await somebody(accounts);
    expect((await other.ask('POST', '', body)).status).toBe(201);

    expect((await ana.ask('DELETE', `/${String(first.body.id)}`)).status).toBe(204);
    expect(await ana.ask('POST', '', body)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  });

  it.each([
    [{}, ['/name required']],
    [{ name: ' x ' }, ['/name too_short']],
    [{ name: 'x'.repeat(121) }, ['/name too_long']],
    [{ name: 7 }, ['/name wrong_type']],
    [{ name: 'Run\0' }, ['/name bad_format']],
    [{ name: '\ud800x' }, ['/name bad_format']],
    [{ name: 'Run', description: 'x'.repeat(513) }, ['/description too_long']],
    [{ name: 'Run', description: null }, ['/description wrong_type']],
    [{ name: 'Run', category: 'x'.repeat(65) }, ['/category too_long']],
    [{ name: 'Run', cadence: 'HOURLY' }, ['/cadence not_in_enum']],
    [{ name: 'Run', targetPerWeek: 0 }, ['/targetPerWeek out_of_range']],
    [{ name: 'Run', targetPerWeek: 1e29 }, ['/targetPerWeek out_of_range']],
    [{ name: 'Run', targetPerWeek: 2.5 }, ['/targetPerWeek wrong_type']],
    [{ name: 'Run', targetDaysMask: 128 }, ['/targetDaysMask out_of_range']],
    [{ name: 'Run', startDate: '2026-02-30T00:00:00Z' }, ['/startDate bad_format']],
    [{ name: 'Run', startDate: '0001-01-01T00:00:00Z' }, ['/startDate out_of_range']],
    [{ name: 'Run', startDate: '9999-12-31T23:59:59-12:00' }, ['/startDate out_of_range']],
    [{ name: 'Run', clientId: 'mine' }, ['/clientId bad_format']],
    [{ name: 'Run', order: 1.5 }, ['/order wrong_type']],
    [{ name: 'Run', order: 2 ** 31 }, ['/order out_of_range']],
    [{ name: 'Run', color: '#fff' }, ['/color bad_format']],
    [{ name: 'Run', color: 'red' }, ['/color bad_format']],
    [{ name: 'Run', userId: UNKNOWN_ID }, ['/userId unknown_property']],
    [[], [' wrong_type']],
  ])('refuses %#', async (body, issues) => {
    const reply = await ana.ask('POST', '', body);
    expect([reply.status, reply.body.error, issuesOf(reply)]).toEqual([400, 'validation_failed', issues]);
  });
});

describe('the cap of the plan', () => {
  it('holds 3 active habits on Free; archived ones are not part of the cap', async () => {
    const free = await somebody(accounts);
    const [first] = [await free.habit(), await free.habit(), await free.habit()];
    expect(await free.ask('POST', '', { name: 'Fourth' })).toMatchObject({
      status: 402,
      body: {
        error: 'quota_exceeded',
        message: 'The Free plan allows 3 active habits.',
        details: {
          feature: 'active_habits',
          used: 3,
          limit: 3,
          limit_kind: 'hard',
          period: null,
          upgrade_path: '/v1/billing/checkout',
          plans_path: '/v1/billing/plans',
          payment_headers_accepted: false,
        },
      },
    });
    expect((await free.ask('POST', `/${first.id}/archive`)).status).toBe(200);
    await free.habit();
    expect(await free.ask('POST', `/${first.id}/unarchive`)).toMatchObject({
      status: 402,
      body: { error: 'quota_exceeded', details: { used: 3, limit: 3 } },
    });
    await accounts.grantPremium(free.person.id);
    expect((await free.ask('POST', `/${first.id}/unarchive`)).status).toBe(200);
    expect(await free.list()).toHaveLength(4);
  });

  it('is 500 habits in all for everybody', async () => {
    const many = await somebody(accounts);
    await accounts.grantPremium(many.person.id);
    const { id } = await many.habit();
    await accounts.database.dataSource.query(
      `INSERT INTO habits SELECT (r).* FROM generate_series(1, 499) AS n,
         LATERAL (SELECT jsonb_populate_record(h, jsonb_build_object('id', gen_random_uuid())) AS r
                  FROM habits h WHERE h.id = $1 AND n IS NOT NULL) AS copies`,
      [id],
    );
    const reply = await many.ask('POST', '', { name: 'Too many' });
    expect([reply.status, issuesOf(reply)]).toEqual([400, [' too_many_items']]);
  });

  it('is never passed, however many come at once', async () => {
    for (let round = 0; round < 20; round++) {
      const free = await somebody(accounts);
      const replies = await Promise.all(Array.from({ length: 10 }, () => free.ask('POST', '', { name: 'Run' })));
      expect(replies.map(({ status }) => status).sort()).toEqual([...Array(3).fill(201), ...Array(7).fill(402)]);
      expect(await free.list()).toHaveLength(3);
    }
  });
});

describe('reading habits', () => {
  it('lists them by status, oldest first, and finds each', async () => {
    const reader = await somebody(accounts);
    const habits = [await reader.habit({ name: 'Aa' })];
    accounts.clock.advanceMs(1);
    habits.push(await reader.habit({ name: 'Bb' }));
    await reader.ask('POST', `/${habits[0]!.id}/archive`);
    const names = async (query: string) => (await reader.list(query)).map(({ name }) => name);
    expect(await names('')).toEqual(['Bb']);
    expect(await names('?status=archived')).toEqual(['Aa']);
    expect(await names('?status=all')).toEqual(['Aa', 'Bb']);
    expect(await reader.ask('GET', '')).toMatchObject({ status: 200, body: { count: 1 } });
    const found = await reader.ask('GET', `/${habits[1]!.id}`);
    expect([found.status, found.body]).toEqual([200, habits[1]]);
    const refused = await reader.ask('GET', '?status=gone');
    expect([refused.status, issuesOf(refused)]).toEqual([400, ['/status not_in_enum']]);
  });

  it("does not tell somebody else's from a missing one", async () => {
    const { id } = await ana.habit();
    const other = await somebody(accounts);
    const routes = [
      ['GET', ''],
      ['PATCH', '', { name: 'Mine now' }],
      ['DELETE', ''],
      ['POST', '/archive'],
      ['POST', '/unarchive'],
    ] as const;
    for (const [method, path, body] of routes) {
      const replies = [
        await other.ask(method, `/${id}${path}`, body),
        await other.ask(method, `/${UNKNOWN_ID}${path}`, body),
      ];
      for (const { status, body: refusal } of replies) {
        expect([status, refusal]).toEqual([404, { error: 'not_found', message: 'There is no such habit.' }]);
      }
      const malformed = await other.ask(method, `/not-a-uuid${path}`, body);
      expect([malformed.status, issuesOf(malformed)]).toEqual([400, ['/habitId bad_format']]);
    }
    expect((await ana.ask('GET', `/${id}`)).status).toBe(200);
  });
});

describe('changing a habit', () => {
  it('changes what is given, clears what is null, and leaves the rest', async () => {
    const { id } = await ana.habit({ description: 'Slowly', category: 'health', startDate: '2025-12-01T00:00:00Z' });
    accounts.clock.advanceMs(1_000);
    const changed = await ana.ask('PATCH', `/${id}`, { name: ' Walk ', description: null });
    expect(changed).toMatchObject({
      status: 200,
      body: { name: 'Walk', description: null, category: 'health', startDate: '2025-12-01T00:00:00.000Z' },
    });
    expect(changed.body.updatedAt).not.toBe(changed.body.createdAt);
    const cleared = await ana.ask('PATCH', `/${id}`, { category: null, startDate: null });
    expect(cleared).toMatchObject({ status: 200, body: { category: null, startDate: changed.body.createdAt } });
    expect((await ana.ask('GET', `/${id}`)).body).toEqual(cleared.body);
  });

  it.each([
    [{ targetDaysMask: 21 }, { targetDaysMask: 3 }, ['DAILY', 2, 3]],
    [{ targetDaysMask: 21 }, { targetDaysMask: 0 }, ['DAILY', 3, 0]],
    [{ targetDaysMask: 21 }, { targetPerWeek: 4 }, ['DAILY', 4, 0]],
    [{ targetDaysMask: 21 }, { cadence: 'DAILY' }, ['DAILY', 3, 21]],
    [{ targetDaysMask: 21 }, { cadence: 'WEEKLY' }, ['WEEKLY', 1, 0]],
    [{ targetPerWeek: 3 }, { targetPerWeek: 5, cadence: 'CUSTOM' }, ['CUSTOM', 5, 0]],
    [{ targetPerWeek: 3 }, { name: 'Walk' }, ['DAILY', 3, 0]],
  ])('%j, changed by %j, has the schedule %j', async (terms, change, schedule) => {
    const { id } = await ana.habit(terms);
    const { status, body } = await ana.ask('PATCH', `/${id}`, change);
    expect([status, body.cadence, body.targetPerWeek, body.targetDaysMask]).toEqual([200, ...schedule]);
  });

  it.each([
    [{ name: null }, ['/name wrong_type']],
    [{ cadence: null }, ['/cadence not_in_enum']],
    [{ targetPerWeek: 15 }, ['/targetPerWeek out_of_range']],
    [{ startDate: 'yesterday' }, ['/startDate bad_format']],
    [{ clientId: UNKNOWN_ID }, ['/clientId unknown_property']],
    [{ archivedAt: null }, ['/archivedAt unknown_property']],
  ])('refuses %j', async (body, issues) => {
    const { id } = await ana.habit();
    const reply = await ana.ask('PATCH', `/${id}`, body);
    expect([reply.status, issuesOf(reply)]).toEqual([400, issues]);
  });

  it('archives and brings back, and repeats change nothing', async () => {
    const { id } = await ana.habit();
    const archived = await ana.ask('POST', `/${id}/archive`);
    expect(archived).toMatchObject({ status: 200, body: { status: 'ARCHIVED', archivedAt: expect.any(String) } });
    accounts.clock.advanceMs(60_000);
    expect((await ana.ask('POST', `/${id}/archive`)).body).toEqual(archived.body);
    const active = await ana.ask('POST', `/${id}/unarchive`);
    expect(active).toMatchObject({ status: 200, body: { status: 'ACTIVE', archivedAt: null } });
    expect((await ana.ask('POST', `/${id}/unarchive`)).body).toEqual(active.body);
  });
});
