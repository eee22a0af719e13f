import { randomUUID } from 'node:crypto';
import { Accounts } from '../accounts.fixture';
import { issuesOf, somebody, UNKNOWN_ID, type HabitsOf } from '../habits/habits.fixture';

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

const NOON = new Date('2026-01-31T12:00:00Z');
const AT_NOON = { occurredAt: NOON.toISOString(), status: 'COMPLETED' };
beforeEach(() => accounts.clock.set(NOON));

describe('logging', () => {
  it('answers 201 with the whole record', async () => {
    const { status, body } = await ana.log(run, {
      ...{ occurredAt: '2026-01-31T06:40:00.5+01:00', status: 'PARTIAL', completionRate: 0.33336 },
      ...{ durationMinutes: 32, moodScore: 8, energyScore: 7, stressScore: 1, contextTags: ['park', ''], note: 'Cold' },
    });
    expect([status, body]).toEqual([
      201,
      {
        ...{ id: expect.any(String), clientId: null, updatedAt: '2026-01-31T12:00:00.000Z' },
        ...{ habitId: run, occurredAt: '2026-01-31T05:40:00.500Z', localDate: '2026-01-31' },
        ...{ status: 'PARTIAL', completionRate: 0.3334, durationMinutes: 32, moodScore: 8, energyScore: 7 },
        ...{ stressScore: 1, contextTags: ['park', ''], note: 'Cold', createdAt: '2026-01-31T12:00:00.000Z' },
      },
    ]);
    expect((await ana.ask('GET', `/${run}/logs`)).body).toEqual({ logs: [body], next_cursor: null });
  });

  it.each([
    [{ status: 'COMPLETED' }, 1],
    [{ status: 'PARTIAL' }, 0.5],
    [{ status: 'SKIPPED' }, 0],
    [{ status: 'COMPLETED', completionRate: 1 }, 1],
    [{ status: 'SKIPPED', completionRate: 0 }, 0],
    [{ status: 'PARTIAL', completionRate: 0 }, 0],
    [{ status: 'PARTIAL', completionRate: 1 }, 1],
    [{ status: 'PARTIAL', completionRate: 0.99996 }, 1],
  ])('%j counts as %d', async (log, completionRate) => {
    expect(await ana.log(run, log)).toMatchObject({
      status: 201,
      body: { completionRate, durationMinutes: null, moodScore: null, contextTags: [], note: null },
    });
  });

  it.each([
    [{ occurredAt: undefined }, ['/occurredAt required']],
    [{ occurredAt: '2026-01-31' }, ['/occurredAt bad_format']],
    [{ occurredAt: '2026-02-29T10:00:00Z' }, ['/occurredAt bad_format']],
    [{ occurredAt: '2026-01-31T24:00:00Z' }, ['/occurredAt bad_format']],
    [{ occurredAt: 1_769_860_000_000 }, ['/occurredAt bad_format']],
    [{ occurredAt: '2026-02-01T02:00:00.001Z' }, ['/occurredAt out_of_range']],
    [{ occurredAt: '2000-01-01T00:00:00+00:01' }, ['/occurredAt out_of_range']],
    [{ occurredAt: '2026-01-31T12:00:00+14:01' }, ['/occurredAt out_of_range']],
    [{ occurredAt: '2026-01-31T12:00:00-12:01' }, ['/occurredAt out_of_range']],
    [{ status: 'DONE' }, ['/status not_in_enum']],
    [{ status: 'COMPLETED', completionRate: 0.9999 }, ['/completionRate conflict']],
    [{ status: 'SKIPPED', completionRate: 0.00001 }, ['/completionRate conflict']],
    [{ completionRate: 1.1 }, ['/completionRate out_of_range']],
    [{ completionRate: null }, ['/completionRate wrong_type']],
    [{ durationMinutes: 1_441 }, ['/durationMinutes out_of_range']],
    [{ durationMinutes: 1e300 }, ['/durationMinutes out_of_range']],
    [{ moodScore: 0 }, ['/moodScore out_of_range']],
    [{ energyScore: 11 }, ['/energyScore out_of_range']],
    [{ stressScore: 5.5 }, ['/stressScore wrong_type']],
    [{ contextTags: Array(13).fill('x') }, ['/contextTags too_many_items']],
    [{ contextTags: ['x'.repeat(33)] }, ['/contextTags too_long']],
    [{ contextTags: [['x']] }, ['/contextTags wrong_type']],
    [{ contextTags: 'park' }, ['/contextTags wrong_type']],
    [{ contextTags: ['\0'] }, ['/contextTags/0 bad_format']],
    [{ note: 'x'.repeat(1_025) }, ['/note too_long']],
    [{ note: 'half \udc00' }, ['/note bad_format']],
    [{ clientId: 7 }, ['/clientId bad_format']],
    [{ habitId: UNKNOWN_ID }, ['/habitId unknown_property']],
  ])('refuses %#', async (log, issues) => {
    const reply = await ana.log(run, log);
    expect([reply.status, reply.body.error, issuesOf(reply)]).toEqual([400, 'validation_failed', issues]);
  });

  it('takes the ends of what is allowed', async () => {
    for (const log of [
      { occurredAt: '2026-02-01T02:00:00Z' },
      { occurredAt: '2026-02-01T02:00:00+14:00' },
      { occurredAt: '2026-01-31T02:00:00-12:00' },
      { occurredAt: '2000-01-01T00:00:00Z' },
      { note: '😀'.repeat(1_024), contextTags: Array(12).fill('😀'.repeat(32)) },
      { durationMinutes: 0 },
      { durationMinutes: 1_440 },
    ]) {
      expect((await ana.log(run, log)).status).toBe(201);
    }
  });

  it('is one under one Idempotency-Key, also with the id of its habit in capitals', async () => {
    const { id } = await ana.habit();
    const headers = { 'idempotency-key': randomUUID() };
    const post = (habitId: string) => ana.ask('POST', `/${habitId}/logs`, AT_NOON, headers);
    const [first, second, escaped] = [
      await post(id),
      await post(id.toUpperCase()),
      await post(`%${id.charCodeAt(0).toString(16)}${id.slice(1)}`),
    ];
    expect([first.status, second.body, escaped.body]).toEqual([201, first.body, first.body]);
    expect((await ana.ask('GET', `/${id}/logs`)).body.logs).toHaveLength(1);
  });

  it('is in no answer once it is deleted, nor is its note, under whatever Idempotency-Key it was made', async () => {
    const [kept, { id }] = [await ana.habit(), await ana.habit()];
    const headers = () => ({ 'idempotency-key': randomUUID() });
    const keys = [headers(), headers(), headers()] as const;
    const note = 'nobody is to read this';
    const log = () => ana.ask('POST', `/${kept.id}/logs`, { ...AT_NOON, note }, keys[0]);
    const ofHabit = () => ana.ask('POST', `/${id}/logs`, { ...AT_NOON, note }, keys[1]);
    const batch = () => ana.ask('POST', '/logs/batch', { logs: [{ habitId: id, ...AT_NOON, note }] }, keys[2]);
    const made = await log();
    expect([made.status, (await ofHabit()).status, (await batch()).status]).toEqual([201, 201, 200]);
    expect((await log()).body).toEqual(made.body);
    await ana.ask('DELETE', `/${kept.id}/logs/${String(made.body.id)}`);
    await ana.ask('DELETE', `/${id.toUpperCase()}`);
    const again = [await log(), await ofHabit(), await batch()];
    expect(again.map(({ status }) => status)).toEqual([404, 404, 200]);
    expect(again.map(({ text }) => text).join()).not.toContain(note);
    const left = await accounts.database.dataSource.query(`SELECT FROM idempotency_keys WHERE body LIKE '%${note}%'`);
    expect(left).toEqual([]);
  });

  it.each<[Record<string, unknown>]>([
    [{ note: 'second' }],
    [{ note: null }],
    [{ status: 'SKIPPED', completionRate: 0 }],
    [{ occurredAt: '2026-01-31T09:00:00.000Z' }],
    [{ contextTags: ['park'] }],
  ])('answers 409 with both when a clientId comes again with %j', async (other) => {
    const log = { clientId: randomUUID(), note: 'first', status: 'PARTIAL', completionRate: 0.33333 };
    const { body: stored } = await ana.log(run, log);
    expect((await ana.log(run, log)).status).toBe(200);
    const reply = await ana.log(run, { ...log, ...other, ...(other.note === null && { note: undefined }) });
    expect(reply).toMatchObject({ status: 409, body: { error: 'conflict', details: { stored } } });
    expect(reply.body.details).toMatchObject({ sent: { clientId: log.clientId, ...other } });
    const { id: elsewhere } = await ana.habit();
    expect(await ana.log(elsewhere, log)).toMatchObject({ status: 409, body: { details: { stored } } });
  });

  it('creates one log for a clientId, and none when that was deleted', async () => {
    const log = { clientId: randomUUID(), note: 'first' };
    const first = await ana.log(run, log);
    expect(first.status).toBe(201);
    const again = await ana.log(run, { ...log, clientId: log.clientId.toUpperCase() });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(first.body.clientId).toBe(log.clientId);
    await ana.ask('DELETE', `/${run}/logs/${String(first.body.id)}`);
    expect(await ana.log(run, log)).toMatchObject({ status: 404, body: { message: 'There is no such log.' } });
  });

  it('has no place in an archived, a missing or a strange habit', async () => {
    const { id } = await ana.habit();
    await ana.ask('POST', `/${id}/archive`);
    const other = await somebody(accounts);
    const replies = [await ana.log(id), await ana.log(UNKNOWN_ID), await other.log(run)];
    for (const { status, body } of replies) {
      expect([status, body]).toEqual([404, { error: 'not_found', message: 'There is no such habit.' }]);
    }
    const malformed = await ana.log('run');
    expect([malformed.status, issuesOf(malformed)]).toEqual([400, ['/habitId bad_format']]);
  });

  it('stores 50 logs of a habit on one day, also when they come at once', async () => {
    const { id } = await ana.habit();
    await Promise.all(Array.from({ length: 40 }, () => ana.log(id)));
    const replies = await Promise.all(Array.from({ length: 20 }, () => ana.log(id)));
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(10).fill(201), ...Array(10).fill(400)]);
    expect(issuesOf(replies.find(({ status }) => status === 400)!)).toEqual([' too_many_items']);
    expect((await ana.log(id, { occurredAt: '2026-01-30T12:00:00Z' })).status).toBe(201);
  });
});

describe('the local day', () => {
  const dayOf = async (of: HabitsOf, habitId: string, occurredAt: string) =>
    (await of.log(habitId, { occurredAt })).body.localDate;

  it('is the date as it is written, without a zone', async () => {
    expect(await dayOf(ana, run, '2026-01-30T23:30:00-08:00')).toBe('2026-01-30');
    expect(await dayOf(ana, run, '2026-02-01T00:30:00+13:00')).toBe('2026-02-01');
  });

  it('is that of the zone, less the beginning of the day, and stays as it was', async () => {
    const eva = await somebody(accounts, { timezone: 'Europe/Madrid' });
    const { id } = await eva.habit();
    const set = (column: string, value: unknown) =>
      accounts.database.dataSource.query(`UPDATE users SET ${column} = $2 WHERE id = $1`, [eva.person.id, value]);
    expect(await dayOf(eva, id, '2026-01-30T22:59:00Z')).toBe('2026-01-30');
    expect(await dayOf(eva, id, '2026-01-30T23:00:00Z')).toBe('2026-01-31');
    await set('day_start_minutes', 180);
    expect(await dayOf(eva, id, '2026-01-31T01:59:00Z')).toBe('2026-01-30');
    expect(await dayOf(eva, id, '2026-01-31T02:00:00Z')).toBe('2026-01-31');
    await set('timezone', 'America/New_York');
    const { body } = await eva.ask('GET', `/${id}/logs`);
    expect((body.logs as { localDate: string }[]).map(({ localDate }) => localDate)).toEqual([
      ...['2026-01-31', '2026-01-30', '2026-01-31', '2026-01-30'],
    ]);
  });

  it('makes today the next day for somebody without a zone who is ahead', async () => {
    const eva = await somebody(accounts);
    const { id } = await eva.habit({ startDate: '2026-01-30T00:00:00Z' });
    const streak = async () => (await eva.ask('GET', `/${id}`)).body.stats;
    for (const occurredAt of ['2026-01-30T08:00:00Z', '2026-01-31T08:00:00Z']) await eva.log(id, { occurredAt });
    expect(await streak()).toMatchObject({ currentStreak: 2 });
    await eva.log(id, { occurredAt: '2026-02-01T01:00:00+14:00' });
    expect(await streak()).toMatchObject({
      currentStreak: 3,
      lastLogAt: '2026-01-31T11:00:00.000Z',
    });
  });
});

describe('the numbers beside a habit', () => {
  it('are those of its logs', async () => {
    const { id } = await ana.habit({ startDate: '2026-01-22T09:00:00Z' });
    for (let day = 22; day <= 31; day++) {
      await ana.log(id, { occurredAt: `2026-01-${day}T08:00:00Z`, status: day === 25 ? 'SKIPPED' : 'COMPLETED' });
    }
    await ana.log(id, { occurredAt: '2026-01-24T08:00:00Z', status: 'PARTIAL', completionRate: 0.1 });
    expect((await ana.ask('GET', `/${id}`)).body.stats).toEqual({
      ...{ completionRate: 1, currentStreak: 9, bestStreak: 9, streakUnit: 'day', strength: expect.any(Number) },
      ...{ skipBudgetRemaining: 1, lastLogAt: '2026-01-31T08:00:00.000Z' },
    });
  });

  it('begin with the first log where no start was given, and with the start where one was', async () => {
    const [open, given] = [await ana.habit(), await ana.habit({ startDate: '2026-01-31T00:00:00Z' })];
    for (const { id } of [open, given]) {
      for (const day of [29, 30, 31]) await ana.log(id, { occurredAt: `2026-01-${day}T08:00:00Z` });
    }
    const streakOf = async (id: string) => (await ana.ask('GET', `/${id}`)).body.stats;
    expect(await streakOf(open.id)).toMatchObject({ currentStreak: 3 });
    expect(await streakOf(given.id)).toMatchObject({ currentStreak: 1 });
  });
});

describe('listing logs', () => {
  it('pages through all of them, newest first, by local date', async () => {
    const { id } = await ana.habit();
    for (let day = 10; day < 20; day++) {
      for (let same = 0; same < 3; same++) await ana.log(id, { occurredAt: `2026-01-${day}T08:00:00Z` });
    }
    const read = async (query: string) => {
      const days: string[] = [];
      const ids = new Set<string>();
      for (let cursor: string | null = ''; cursor !== null;) {
        const { status, body } = await ana.ask('GET', `/${id}/logs?${query}${cursor && `&cursor=${cursor}`}`);
        expect(status).toBe(200);
        for (const log of body.logs as { id: string; localDate: string }[]) {
          ids.add(log.id);
          days.push(log.localDate.slice(8));
        }
        cursor = body.next_cursor as string | null;
      }
      expect(ids.size).toBe(days.length);
      return days;
    };
    const expected = Array.from({ length: 30 }, (_, index) => String(19 - Math.floor(index / 3)));
    expect(await read('limit=7')).toEqual(expected);
    expect(await read('limit=10')).toEqual(expected);
    expect(await read('limit=-3')).toEqual(expected);
    expect(await read('from=2026-01-12&to=2026-01-13&limit=4')).toEqual(['13', '13', '13', '12', '12', '12']);
    expect(await read('from=2026-02-12')).toEqual([]);
  });

  it('refuses what is no date, no number and no cursor of this list', async () => {
    const { id } = await ana.habit();
    for (const _ of [1, 2]) await ana.log(id);
    const { body } = await ana.ask('GET', `/${id}/logs?limit=1`);
    for (const [query, issue] of [
      ['from=2026-02-30', '/from bad_format'],
      ['to=0000-01-01', '/to bad_format'],
      ['from=2026-01-01&from=2026-01-02', '/from bad_format'],
      ['limit=many', '/limit wrong_type'],
      ['cursor=x', '/cursor bad_format'],
    ]) {
      const reply = await ana.ask('GET', `/${id}/logs?${query}`);
      expect([reply.status, issuesOf(reply)]).toEqual([400, [issue]]);
    }
    const foreign = await ana.ask('GET', `/${run}/logs?cursor=${String(body.next_cursor)}`);
    expect([foreign.status, issuesOf(foreign)]).toEqual([400, ['/cursor bad_format']]);
  });
});
