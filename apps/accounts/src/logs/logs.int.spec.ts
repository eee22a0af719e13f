import { randomUUID } from 'node:crypto';
import { DatabaseLine } from '@evenkeel/platform/testing';
import { withLogs } from '../account/account.fixture';
import { Accounts } from '../accounts.fixture';
import { issuesOf, somebody, UNKNOWN_ID, type HabitsOf } from '../habits/habits.fixture';
import { fileTransfer } from '../transfer/transfer.fixture';

const NOON = new Date('2026-01-31T12:00:00Z');
const LOG = { occurredAt: NOON.toISOString(), status: 'COMPLETED' };

const accounts = Accounts.forSuite();
let ana: HabitsOf;
let run: string;
beforeAll(async () => {
  ana = await somebody(accounts);
  await accounts.grantPremium(ana.person.id);
  ({ id: run } = await ana.habit());
});
beforeEach(() => accounts.clock.set(NOON));

const key = () => ({ 'idempotency-key': randomUUID() });
const change = (id: unknown, body: unknown, habit = run) => ana.ask('PATCH', `/${habit}/logs/${String(id)}`, body);
const statsOf = async (of: HabitsOf, id: string) => (await of.ask('GET', `/${id}`)).body.stats;

it('answers 201 with the whole record', async () => {
  const scores = { durationMinutes: 32, moodScore: 8, energyScore: 7, stressScore: 1 };
  const log = { status: 'PARTIAL', contextTags: ['park', ''], note: 'Cold', ...scores };
  const occurredAt = '2026-01-31T06:40:00.5+01:00';
  const { status, body } = await ana.log(run, { ...log, occurredAt, completionRate: 0.33336 });
  const record = {
    ...log,
    id: expect.any(String) as string,
    clientId: null,
    habitId: run,
    occurredAt: '2026-01-31T05:40:00.500Z',
    localDate: '2026-01-31',
    completionRate: 0.3334,
    createdAt: NOON.toISOString(),
    updatedAt: NOON.toISOString(),
  };
  expect([status, body]).toEqual([201, record]);
  expect((await ana.ask('GET', `/${run}/logs`)).body).toEqual({ logs: [body], next_cursor: null });
});

it.each<[Record<string, unknown>, string[]]>([
  [{ occurredAt: '2026-02-01T02:00:00Z' }, []],
  [{ occurredAt: '2026-02-01T02:00:00.001Z' }, ['/occurredAt out_of_range']],
  [{ occurredAt: '2000-01-01T00:00:00Z' }, []],
  [{ occurredAt: '2000-01-01T00:00:00+00:01' }, ['/occurredAt out_of_range']],
  [{ occurredAt: '2026-02-01T02:00:00+14:00' }, []],
  [{ occurredAt: '2026-01-31T12:00:00+14:01' }, ['/occurredAt out_of_range']],
  [{ occurredAt: '2026-01-31T02:00:00-12:00' }, []],
  [{ occurredAt: '2026-01-31T12:00:00-12:01' }, ['/occurredAt out_of_range']],
  [{ status: 'COMPLETED', completionRate: 0.9999 }, ['/completionRate conflict']],
  [{ status: 'SKIPPED', completionRate: 0.00001 }, ['/completionRate conflict']],
])('a log with %j has the issues %j', async (log, issues) => {
  const reply = await ana.log(run, log);
  expect(reply.status === 201 ? [] : issuesOf(reply)).toEqual(issues);
});

it('is one under one Idempotency-Key, also with the id of its habit in capitals or escaped', async () => {
  const { id } = await ana.habit();
  const headers = key();
  const { body } = await ana.ask('POST', `/${id}/logs`, LOG, headers);
  for (const path of [id.toUpperCase(), `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`])
    expect((await ana.ask('POST', `/${path}/logs`, LOG, headers)).body).toEqual(body);
  expect((await ana.ask('GET', `/${id}/logs`)).body.logs).toHaveLength(1);
});

it('is in no answer once it is deleted, nor is its note, under whatever Idempotency-Key it was made', async () => {
  const [kept, { id }] = [await ana.habit(), await ana.habit()];
  const [one, two, three] = [key(), key(), key()];
  const note = 'nobody is to read this';
  const log = () => ana.ask('POST', `/${kept.id}/logs`, { ...LOG, note }, one);
  const ofHabit = () => ana.ask('POST', `/${id}/logs`, { ...LOG, note }, two);
  const batch = () => ana.ask('POST', '/logs/batch', { logs: [{ habitId: id, ...LOG, note }] }, three);
  const made = await log();
  expect([made.status, (await ofHabit()).status, (await batch()).status]).toEqual([201, 201, 200]);
  await ana.ask('DELETE', `/${kept.id}/logs/${String(made.body.id)}`);
  await ana.ask('DELETE', `/${id.toUpperCase()}`);
  const again = [await log(), await ofHabit(), await batch()];
  expect(again.map(({ status }) => status)).toEqual([404, 404, 200]);
  expect(again.map(({ text }) => text).join()).not.toContain(note);
  expect(await accounts.sql(`SELECT FROM idempotency_keys WHERE body LIKE '%${note}%'`)).toEqual([]);
});

it('answers 409 with both when a clientId comes again with other content, and 200 with the same', async () => {
  const log = { clientId: randomUUID(), note: 'first', status: 'PARTIAL', completionRate: 0.33333 };
  const { body: stored } = await ana.log(run, log);
  expect(await ana.log(run, log)).toMatchObject({ status: 200, body: stored });
  for (const other of [
    { note: 'second' },
    { status: 'SKIPPED', completionRate: 0 },
    { occurredAt: '2026-01-31T09:00:00.000Z' },
    { contextTags: ['park'] },
  ]) {
    const details = { stored, sent: { clientId: log.clientId, ...other } };
    expect(await ana.log(run, { ...log, ...other })).toMatchObject({ status: 409, body: { details } });
  }
  const { id: elsewhere } = await ana.habit();
  expect(await ana.log(elsewhere, log)).toMatchObject({ status: 409, body: { details: { stored } } });
});

it('stores 50 logs of a habit on one day, in one batch and of many at once, and moves none to a full day', async () => {
  const { id: habitId } = await ana.habit();
  const days = ['2026-01-31', '2026-01-30'].map((day) => `${day}T08:00:00Z`);
  const logs = Array.from({ length: 102 }, (_, n) => ({ ...LOG, habitId, occurredAt: days[n % 2] }));
  const { body } = await ana.ask('POST', '/logs/batch', { logs });
  const statuses = (body.results as { status: string }[]).map(({ status }) => status);
  expect(statuses).toEqual([...Array(100).fill('created'), 'rejected', 'rejected']);
  const { id } = await ana.habit();
  await ana.ask('POST', '/logs/batch', { logs: Array(40).fill({ ...LOG, habitId: id }) as object[] });
  const replies = await Promise.all(Array.from({ length: 20 }, () => ana.log(id)));
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array(10).fill(201), ...Array(10).fill(400)]);
  const { body: log } = await ana.log(id, { occurredAt: '2026-01-19T00:00:00Z' });
  expect(issuesOf(await change(log.id, { occurredAt: LOG.occurredAt }, id))).toEqual([' too_many_items']);
});

it('keeps to the 100,000 logs of a person, at every door', async () => {
  const of = await somebody(accounts);
  const { id: habitId } = await of.habit();
  await withLogs(accounts, of.person, 99_998);
  await accounts.sql('UPDATE users SET change_number = 99999 WHERE id = $1', of.person.id);
  const logs = [29, 30, 31].map((day) => ({ ...LOG, habitId, occurredAt: `2026-01-${day}T08:00:00Z` }));
  const { body } = await of.ask('POST', '/logs/batch', { logs });
  const results = body.results as { status: string; log?: { id: string } }[];
  expect(results.map(({ status }) => status)).toEqual(['created', 'created', 'rejected']);
  expect(issuesOf(await of.log(habitId))).toEqual([' too_many_items']);
  const { imported } = fileTransfer(() => accounts);
  expect(await imported(of.person, 'habit,date,value\nSwim,2026-01-30,yes\n')).toMatchObject({
    rejects: [{ reason: 'a person has at most 100,000 logs' }],
  });
  await of.ask('DELETE', `/${habitId}/logs/${results[0]!.log!.id}`);
  expect((await of.log(habitId)).status).toBe(201);
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
    const set = (profile: object) => accounts.ask('PATCH', '/v1/auth/me', { token: eva.person.token, body: profile });
    expect(await dayOf(eva, id, '2026-01-30T22:59:00Z')).toBe('2026-01-30');
    expect(await dayOf(eva, id, '2026-01-30T23:00:00Z')).toBe('2026-01-31');
    await set({ dayStartMinutes: 180 });
    expect(await dayOf(eva, id, '2026-01-31T01:59:00Z')).toBe('2026-01-30');
    expect(await dayOf(eva, id, '2026-01-31T02:00:00Z')).toBe('2026-01-31');
    await set({ timezone: 'America/New_York' });
    const { logs } = (await eva.ask('GET', `/${id}/logs`)).body as { logs: { localDate: string }[] };
    expect(logs.map(({ localDate }) => localDate.slice(8))).toEqual(['31', '30', '31', '30']);
  });

  it('makes today the next day for somebody without a zone who is ahead', async () => {
    const eva = await somebody(accounts);
    const { id } = await eva.habit({ startDate: '2026-01-30T00:00:00Z' });
    for (const occurredAt of ['2026-01-30T08:00:00Z', '2026-01-31T08:00:00Z']) await eva.log(id, { occurredAt });
    expect(await statsOf(eva, id)).toMatchObject({ currentStreak: 2 });
    await eva.log(id, { occurredAt: '2026-02-01T01:00:00+14:00' });
    expect(await statsOf(eva, id)).toMatchObject({ currentStreak: 3, lastLogAt: '2026-01-31T11:00:00.000Z' });
  });
});

it('the numbers beside a habit are those of its logs, from the first one or from the start that was given', async () => {
  const [open, given] = [await ana.habit(), await ana.habit({ startDate: '2026-01-31T00:00:00Z' })];
  for (const { id } of [open, given])
    for (const [day, status] of [
      [28, 'COMPLETED'],
      [29, 'SKIPPED'],
      [30, 'COMPLETED'],
      [31, 'COMPLETED'],
    ] as const)
      await ana.log(id, { occurredAt: `2026-01-${day}T08:00:00Z`, status });
  expect(await statsOf(ana, open.id)).toMatchObject({
    completionRate: 1,
    currentStreak: 3,
    bestStreak: 3,
    streakUnit: 'day',
    lastLogAt: '2026-01-31T08:00:00.000Z',
  });
  expect(await statsOf(ana, given.id)).toMatchObject({ currentStreak: 1 });
});

describe('listing logs', () => {
  it('pages through all of them, newest first, by local date', async () => {
    const { id } = await ana.habit();
    const logs = Array.from({ length: 30 }, (_, n) => {
      return { ...LOG, habitId: id, occurredAt: `2026-01-${10 + Math.floor(n / 3)}T08:00:00Z` };
    });
    await ana.ask('POST', '/logs/batch', { logs });
    const read = async (query: string) => {
      const found: { id: string; localDate: string }[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { body } = await ana.ask('GET', `/${id}/logs?${query}${cursor && `&cursor=${cursor}`}`);
        found.push(...(body.logs as typeof found));
        cursor = body.next_cursor as string | null;
      }
      expect(new Set(found.map((log) => log.id)).size).toBe(found.length);
      return found.map(({ localDate }) => localDate.slice(8));
    };
    const expected = Array.from({ length: 30 }, (_, index) => String(19 - Math.floor(index / 3)));
    for (const query of ['limit=7', 'limit=10', 'limit=-3']) expect(await read(query)).toEqual(expected);
    expect(await read('from=2026-01-12&to=2026-01-13&limit=4')).toEqual(['13', '13', '13', '12', '12', '12']);
  });

  it('refuses what is no date, no number and no cursor of this list', async () => {
    const { id } = await ana.habit();
    for (const _ of [1, 2]) await ana.log(id);
    const { body } = await ana.ask('GET', `/${id}/logs?limit=1`);
    for (const [path, issue] of [
      [`${id}/logs?from=2026-02-30`, '/from bad_format'],
      [`${id}/logs?to=0000-01-01`, '/to bad_format'],
      [`${id}/logs?limit=many`, '/limit wrong_type'],
      [`${id}/logs?cursor=x`, '/cursor bad_format'],
      [`${run}/logs?cursor=${String(body.next_cursor)}`, '/cursor bad_format'],
    ]) {
      expect(issuesOf(await ana.ask('GET', `/${path}`))).toEqual([issue]);
    }
  });
});

describe('changing a log', () => {
  it('changes what is given, clears what is null, and leaves the rest', async () => {
    const { body: log } = await ana.log(run, { moodScore: 3, note: 'Cold', contextTags: ['park'], durationMinutes: 9 });
    const updatedAt = expect.any(String) as string;
    const { body } = await change(log.id, { moodScore: 4, note: null, contextTags: null });
    expect(body).toEqual({ ...log, moodScore: 4, note: null, contextTags: [], updatedAt });
    const moved = await change(log.id, { occurredAt: '2026-01-18T23:00:00-05:00' });
    expect(moved.body).toMatchObject({ localDate: '2026-01-18', occurredAt: '2026-01-19T04:00:00.000Z', moodScore: 4 });
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

  it("deletes for good; neither a log of another habit nor somebody else's nor that of an archived one is found", async () => {
    const [{ body: log }, { id: walk }, other] = [await ana.log(run), await ana.habit(), await somebody(accounts)];
    const path = `/logs/${String(log.id)}`;
    const notFound = { status: 404, body: { error: 'not_found', message: 'There is no such log.' } };
    for (const [of, habit] of [
      [ana, walk],
      [other, run],
    ] as const) {
      expect(await of.ask('PATCH', `/${habit}${path}`, {})).toMatchObject(notFound);
      expect(await of.ask('DELETE', `/${habit}${path}`)).toMatchObject(notFound);
    }
    expect((await ana.ask('DELETE', `/${run}${path}`)).status).toBe(204);
    expect(await ana.ask('DELETE', `/${run}${path}`)).toMatchObject(notFound);
    expect((await other.ask('GET', `/${run}/logs`)).text).toBe((await other.ask('GET', `/${UNKNOWN_ID}/logs`)).text);
    const { body: late } = await ana.log(walk);
    await ana.ask('POST', `/${walk}/archive`);
    expect((await change(late.id, { occurredAt: '2026-01-31T01:00:00Z' }, walk)).status).toBe(404);
    expect((await change(late.id, { note: 'Late' }, walk)).status).toBe(200);
  });
});

it.each<[string, string, (habitId: string) => object]>([
  ['a habit', '', () => ({ name: 'Swim' })],
  ['a log', '/:id/logs', () => LOG],
  ['a batch', '/logs/batch', (habitId) => ({ logs: [{ habitId, ...LOG }] })],
])('%s, stored and answered with 503, is stored once under its Idempotency-Key', async (kind, path, bodyOf) => {
  const line = await DatabaseLine.to(accounts.database.url);
  const work = async (broken: Accounts) => {
    const eve = await somebody(broken, { email: `${kind.replace(' ', '-')}-stored@example.com` });
    const { id } = await eve.habit();
    const headers = key();
    const send = () => eve.ask('POST', path.replace(':id', id), bodyOf(id), headers);
    line.lose({ statement: 'COMMIT', loss: 'unanswered' });
    expect((await send()).status).toBe(503);
    const answered = await send();
    expect(answered.text).toContain(kind === 'a batch' ? '"created"' : '"id"');
    expect(await send()).toMatchObject({ status: answered.status, text: answered.text });
    const { habits, logs } = (await eve.ask('GET', '/changes')).body as { habits: unknown[]; logs: unknown[] };
    expect(habits.length + logs.length).toBe(2);
  };
  await accounts.beside({ DATABASE_URL: line.url }, work).finally(() => line.cut());
});
