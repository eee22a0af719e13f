import { randomUUID } from 'node:crypto';
import { cursorOf } from '@evenkeel/platform/validation';
import { Accounts } from '../accounts.fixture';
import { issuesOf, somebody, UNKNOWN_ID, type HabitsOf } from '../habits/habits.fixture';
import { EraseOldRows } from './changes';
import { Follower } from './sync.fixture';

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

const DAY_MS = 86_400_000;
const NAME = randomUUID();
const LOG = { occurredAt: '2026-01-31T08:00:00Z', status: 'COMPLETED' };
const batch = (of: HabitsOf, logs: unknown) => of.ask('POST', '/logs/batch', { logs });

describe('a batch of logs', () => {
  it('has a result for each, and a bad one rejects itself alone', async () => {
    const clientId = randomUUID();
    const { body: stored } = await ana.log(run, { clientId: randomUUID(), note: 'stored' });
    const known = randomUUID();
    const { body: repeated } = await ana.log(run, { clientId: known });
    const { id: archived } = await ana.habit();
    await ana.ask('POST', `/${archived}/archive`);
    const gone = randomUUID();
    const { body: deleted } = await ana.log(run, { clientId: gone });
    await ana.ask('DELETE', `/${run}/logs/${String(deleted.id)}`);
    const reply = await batch(ana, [
      { ...LOG, habitId: run, clientId },
      { ...LOG, habitId: run, clientId: clientId.toUpperCase() },
      { ...LOG, habitId: run, clientId: known },
      { ...LOG, habitId: UNKNOWN_ID },
      { ...LOG, habitId: archived },
      { ...LOG, habitId: run, clientId: gone },
      { ...LOG, habitId: run, completionRate: 7 },
      { ...LOG, habitId: run, occurredAt: '2027-01-31T08:00:00Z' },
      'not a log',
      { ...LOG, habitId: run.toUpperCase(), note: 'last' },
      { ...LOG, habitId: run, clientId, note: 'another' },
      { ...LOG, habitId: run, clientId: known, note: 'another' },
      { ...LOG, habitId: run, clientId: known },
    ]);
    const notFound = (message: string) => ({ error: 'not_found', message });
    const created = { ...stored, id: expect.any(String), note: null, clientId };
    const conflict = (record: unknown, name: string) => ({
      ...{ error: 'conflict', message: expect.stringContaining('clientId') },
      details: { stored: record, sent: expect.objectContaining({ clientId: name, note: 'another' }) },
    });
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        results: [
          { index: 0, status: 'created', log: created },
          { index: 1, status: 'existing', log: created },
          { index: 2, status: 'existing', log: repeated },
          { index: 3, status: 'rejected', error: notFound('There is no such habit.') },
          { index: 4, status: 'rejected', error: notFound('There is no such habit.') },
          { index: 5, status: 'rejected', error: notFound('There is no such log.') },
          { index: 6, status: 'rejected', error: expect.objectContaining({ error: 'validation_failed' }) },
          { index: 7, status: 'rejected', error: expect.objectContaining({ error: 'validation_failed' }) },
          { index: 8, status: 'rejected', error: expect.objectContaining({ error: 'validation_failed' }) },
          { index: 9, status: 'created', log: { ...created, note: 'last', clientId: null } },
          { index: 10, status: 'rejected', error: conflict(created, clientId) },
          { index: 11, status: 'rejected', error: conflict(repeated, known) },
          { index: 12, status: 'existing', log: repeated },
        ],
      },
    ]);
    const { results } = reply.body as { results: { error: { details: { issues: { path: string }[] } } }[] };
    expect(results.slice(6, 9).map(({ error }) => error.details.issues[0]!.path)).toEqual([
      ...['/completionRate', '/occurredAt', ''],
    ]);
  });

  it('creates each log once, however many equal batches come at once', async () => {
    for (let round = 0; round < 20; round++) {
      const { id: habitId } = await ana.habit();
      const logs = Array.from({ length: 5 }, () => ({ ...LOG, habitId, clientId: randomUUID() }));
      const replies = await Promise.all(Array.from({ length: 20 }, () => batch(ana, logs)));
      const results = replies.flatMap(({ body }) => body.results as { status: string; log: { id: string } }[]);
      expect(results.filter(({ status }) => status === 'created')).toHaveLength(5);
      expect(results.filter(({ status }) => status === 'existing')).toHaveLength(95);
      expect(new Set(results.map(({ log }) => log.id)).size).toBe(5);
      expect((await ana.ask('GET', `/${habitId}/logs`)).body.logs).toHaveLength(5);
    }
  });

  it('takes 500 logs with all they may have', async () => {
    const { id: habitId } = await ana.habit();
    const logs = Array.from({ length: 500 }, (_, n) => ({
      ...{ habitId, status: 'PARTIAL', completionRate: 0.25, durationMinutes: 5, moodScore: 1, energyScore: 2 },
      ...{ stressScore: 3, note: 'x'.repeat(1_024), clientId: randomUUID(), contextTags: Array(12).fill('outside') },
      occurredAt: new Date(Date.parse(LOG.occurredAt) - n * DAY_MS).toISOString(),
    }));
    const { status, body } = await batch(ana, logs);
    const results = body.results as { index: number; status: string; log: { occurredAt: string } }[];
    expect([status, results.every((result) => result.status === 'created')]).toEqual([200, true]);
    expect(results.map(({ index, log }) => [index, log.occurredAt])).toEqual(
      logs.map(({ occurredAt }, index) => [index, occurredAt]),
    );
    const { body: habit } = await ana.ask('GET', `/${habitId}`);
    expect(habit.stats).toMatchObject({ completionRate: 0.25, lastLogAt: '2026-01-31T08:00:00.000Z' });
  });

  it.each([
    [{}, ['/logs required']],
    [{ logs: [] }, ['/logs too_few_items']],
    [{ logs: Array(501).fill({}) }, ['/logs too_many_items']],
    [{ logs: { 0: LOG } }, ['/logs wrong_type']],
    [{ logs: [{}], dryRun: true }, ['/dryRun unknown_property']],
    [{ logs: [{ note: '\0' }] }, ['/logs/0/note bad_format']],
    [[], [' wrong_type']],
  ])('refuses %#', async (body, issues) => {
    const reply = await ana.ask('POST', '/logs/batch', body);
    expect([reply.status, issuesOf(reply)]).toEqual([400, issues]);
  });
});

describe('what has changed', () => {
  it('lists changes in the order of commits, once, with deletions', async () => {
    const eva = await somebody(accounts);
    const [walk, read] = [await eva.habit({ name: 'Walk' }), await eva.habit({ name: 'Read' })];
    const { body: first } = await eva.log(walk.id, { note: 'first', clientId: NAME });
    const { body: second } = await eva.log(read.id);
    const begun = await eva.ask('GET', '/changes');
    expect(begun).toMatchObject({
      status: 200,
      body: { habits: [{ id: walk.id }, { id: read.id }], logs: [first, second], deleted: [], more: false },
    });
    expect((begun.body.habits as unknown[])[0]).toEqual((await eva.ask('GET', `/${walk.id}`)).body);

    const since = async (cursor: unknown) => (await eva.ask('GET', `/changes?cursor=${String(cursor)}`)).body;
    const nothing = await since(begun.body.next_cursor);
    expect(nothing).toMatchObject({ habits: [], logs: [], deleted: [], more: false });

    await eva.ask('PATCH', `/${read.id}/logs/${String(second.id)}`, { note: 'late' });
    await eva.ask('POST', `/${walk.id}/archive`);
    await eva.ask('DELETE', `/${walk.id}/logs/${String(first.id)}`);
    const later = await since(nothing.next_cursor);
    expect(later).toMatchObject({
      habits: [{ id: walk.id, status: 'ARCHIVED' }],
      logs: [{ id: second.id, note: 'late' }],
      deleted: [{ kind: 'log', id: first.id }],
    });
    expect((later.deleted as object[])[0]).toEqual({
      ...{ kind: 'log', id: first.id, clientId: NAME, updatedAt: expect.stringMatching(/^2026-01-31T12:00:00/) },
    });
    await eva.ask('DELETE', `/${read.id}`);
    expect(await since(later.next_cursor)).toMatchObject({
      ...{ habits: [], logs: [], deleted: [{ kind: 'habit', id: read.id }] },
    });
  });

  it('waits for a slow transaction: nobody skips what it commits', async () => {
    const eva = await somebody(accounts);
    const { id: habitId } = await eva.habit();
    const follower = new Follower(eva);
    await follower.catchUp();
    const slow = accounts.database.dataSource.createQueryRunner();
    await slow.startTransaction();
    await slow.query(`UPDATE users SET change_number = change_number + 1 WHERE id = $1`, [eva.person.id]);
    await slow.query(
      `UPDATE habits SET name = 'Slow', change_number = (SELECT change_number FROM users WHERE id = $2) WHERE id = $1`,
      [habitId, eva.person.id],
    );
    const quick = eva.log(habitId);
    await follower.catchUp();
    expect(follower.seen).toEqual([habitId]);
    await slow.commitTransaction();
    await slow.release();
    const { body: log } = await quick;
    await follower.catchUp();
    expect(follower.seen).toEqual([habitId, habitId, log.id]);
  });

  it('asks a device that was away for more than 400 days to begin again', async () => {
    const eva = await somebody(accounts);
    const { id } = await eva.habit();
    const { body } = await eva.ask('GET', '/changes');
    await eva.ask('DELETE', `/${id}`);
    const start = accounts.clock.now();
    const later = async (ms: number) => {
      accounts.clock.set(new Date(start.getTime() + ms));
      const { email, password } = eva.person;
      const signedIn = await accounts.ask('POST', '/v1/auth/login', { body: { email, password } });
      const token = String(signedIn.body.accessToken);
      return accounts.ask('GET', `/v1/habits/changes?cursor=${String(body.next_cursor)}`, { token });
    };
    try {
      expect(await later(400 * DAY_MS)).toMatchObject({ status: 200, body: { deleted: [{ kind: 'habit', id }] } });
      expect(await later(400 * DAY_MS + 1)).toMatchObject({ status: 400, body: { error: 'cursor_expired' } });
    } finally {
      accounts.clock.set(start);
    }
  });

  it('keeps deletions a day longer than anybody may ask for them', async () => {
    const eva = await somebody(accounts);
    await eva.ask('DELETE', `/${(await eva.habit()).id}`);
    const start = accounts.clock.now();
    const erasing = accounts.app.get(EraseOldRows, { strict: false });
    const leftAfter = async (days: number) => {
      accounts.clock.set(new Date(start.getTime() + days * DAY_MS));
      await erasing.eraseOld();
      const rows = await accounts.database.dataSource.query<unknown[]>(`SELECT FROM deletions WHERE user_id = $1`, [
        eva.person.id,
      ]);
      return rows.length;
    };
    try {
      expect([await leftAfter(401), await leftAfter(402)]).toEqual([1, 0]);
    } finally {
      accounts.clock.set(start);
    }
  });

  it("refuses a cursor that is none, somebody else's, or one that was forged beyond the numbers there are", async () => {
    const eva = await somebody(accounts);
    const { body } = await ana.ask('GET', '/changes');
    for (const query of ['cursor=x', `cursor=${String(body.next_cursor)}`, 'cursor=']) {
      const reply = await eva.ask('GET', `/changes?${query}`);
      expect([reply.status, issuesOf(reply)]).toEqual([400, ['/cursor bad_format']]);
    }
    const atMicros = `${accounts.clock.now().getTime()}000`;
    for (const id of ['00000000-0000-0000-8000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']) {
      const forged = await eva.ask(
        'GET',
        `/changes?cursor=${cursorOf(`changes of ${eva.person.id}`, { atMicros, id })}`,
      );
      expect([id, forged.status, issuesOf(forged)]).toEqual([id, 400, ['/cursor bad_format']]);
    }
    const reply = await eva.ask('GET', '/changes?limit=all');
    expect([reply.status, issuesOf(reply)]).toEqual([400, ['/limit wrong_type']]);
    expect((await accounts.ask('GET', '/v1/habits/changes')).status).toBe(401);
  });
});
