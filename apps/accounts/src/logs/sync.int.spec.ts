import { randomUUID } from 'node:crypto';
import { cursorOf } from '@evenkeel/platform/validation';
import { Accounts } from '../accounts.fixture';
import { issuesOf, somebody, UNKNOWN_ID, type HabitsOf } from '../habits/habits.fixture';
import { EraseOldRows } from '../erase-old-rows';
import { Follower } from './sync.fixture';

const accounts = Accounts.forSuite();
let ana: HabitsOf;
let run: string;
beforeAll(async () => {
  ana = await somebody(accounts);
  await accounts.grantPremium(ana.person.id);
  ({ id: run } = await ana.habit());
});

const DAY_MS = 86_400_000;
const LOG = { occurredAt: '2026-01-31T08:00:00Z', status: 'COMPLETED' };
const batch = (of: HabitsOf, logs: unknown) => of.ask('POST', '/logs/batch', { logs });

describe('a batch of logs', () => {
  it('has a result for each, and a bad one rejects itself alone', async () => {
    const [clientId, known, gone] = [randomUUID(), randomUUID(), randomUUID()];
    const { body: stored } = await ana.log(run, { note: 'stored' });
    const { body: repeated } = await ana.log(run, { clientId: known });
    const { id: archived } = await ana.habit();
    await ana.ask('POST', `/${archived}/archive`);
    const { body: deleted } = await ana.log(run, { clientId: gone });
    await ana.ask('DELETE', `/${run}/logs/${String(deleted.id)}`);
    const created = { ...stored, id: expect.any(String), note: null, clientId };
    const rejected = (error: object) => ({ status: 'rejected', error: expect.objectContaining(error) as object });
    const notFound = (what: string) => rejected({ error: 'not_found', message: `There is no such ${what}.` });
    const invalid = (path: string) =>
      rejected({ error: 'validation_failed', details: { issues: [expect.objectContaining({ path })] } });
    const conflict = (record: unknown, name: string) =>
      rejected({
        error: 'conflict',
        details: { stored: record, sent: expect.objectContaining({ clientId: name, note: 'another' }) },
      });
    const expected: [unknown, object][] = [
      [
        { ...LOG, habitId: run, clientId },
        { status: 'created', log: created },
      ],
      [
        { ...LOG, habitId: run, clientId: clientId.toUpperCase() },
        { status: 'existing', log: created },
      ],
      [
        { ...LOG, habitId: run, clientId: known },
        { status: 'existing', log: repeated },
      ],
      [{ ...LOG, habitId: UNKNOWN_ID }, notFound('habit')],
      [{ ...LOG, habitId: archived }, notFound('habit')],
      [{ ...LOG, habitId: run, clientId: gone }, notFound('log')],
      [{ ...LOG, habitId: run, completionRate: 7 }, invalid('/completionRate')],
      [{ ...LOG, habitId: run, occurredAt: '2027-01-31T08:00:00Z' }, invalid('/occurredAt')],
      ['not a log', invalid('')],
      [{ ...LOG, habitId: run, note: 'half an emoji: \ud83d' }, invalid('/note')],
      [{ ...LOG, habitId: run, ['\0']: 1 }, invalid('/\0')],
      [
        { ...LOG, habitId: run.toUpperCase(), note: 'last' },
        { status: 'created', log: { ...created, note: 'last', clientId: null } },
      ],
      [{ ...LOG, habitId: run, clientId, note: 'another' }, conflict(created, clientId)],
      [{ ...LOG, habitId: run, clientId: known, note: 'another' }, conflict(repeated, known)],
    ];
    const reply = await batch(
      ana,
      expected.map(([sent]) => sent),
    );
    const results = expected.map(([, result], index) => ({ index, ...result }));
    expect([reply.status, reply.body]).toEqual([200, { results }]);
  });

  it('takes 500 logs with all they may have', async () => {
    const { id: habitId } = await ana.habit();
    const done = {
      status: 'PARTIAL',
      completionRate: 0.25,
      durationMinutes: 5,
      moodScore: 1,
      energyScore: 2,
      stressScore: 3,
    };
    const words = { note: 'x'.repeat(1_024), contextTags: Array(12).fill('outside') as string[] };
    const logs = Array.from({ length: 500 }, (_, n) => {
      const occurredAt = new Date(Date.parse(LOG.occurredAt) - n * DAY_MS).toISOString();
      return { ...done, ...words, habitId, occurredAt, clientId: randomUUID() };
    });
    const { body } = await batch(ana, logs);
    const results = body.results as { status: string; log: { occurredAt: string } }[];
    expect(results.map(({ status, log }) => [status, log.occurredAt])).toEqual(
      logs.map(({ occurredAt }) => ['created', occurredAt]),
    );
  });

  it.each<[object, string[]]>([
    [{}, ['/logs required']],
    [{ logs: Array(501).fill({}) }, ['/logs too_many_items']],
    [{ logs: [{}], dryRun: true }, ['/dryRun unknown_property']],
    [JSON.parse('{"logs":[{}],"__proto__":{}}') as object, ['/__proto__ unknown_property']],
  ])('refuses %#', async (body, issues) => {
    expect(issuesOf(await ana.ask('POST', '/logs/batch', body))).toEqual(issues);
  });
});

it('after a downgrade the three most recently logged habits take logs', async () => {
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
  // Of those that were never logged, the older one follows.
  await eva.ask('POST', `/${habits[4]!}/archive`);
  expect(await statuses()).toEqual([201, 201, 201, 402, 404]);
});

describe('what has changed', () => {
  it('is listed as it is now, once, with deletions and the names that devices gave', async () => {
    const eva = await somebody(accounts);
    const { id } = await eva.habit({ name: 'Walk' });
    const clientId = randomUUID();
    const { body: log } = await eva.log(id, { note: 'first', clientId });
    const since = async (query: string) => (await eva.ask('GET', `/changes${query}`)).body;
    const begun = await since('');
    const habit = (await eva.ask('GET', `/${id}`)).body;
    expect(begun).toEqual({ habits: [habit], logs: [log], deleted: [], more: false, next_cursor: expect.any(String) });
    await eva.ask('DELETE', `/${id}/logs/${String(log.id)}`);
    const later = await since(`?cursor=${String(begun.next_cursor)}`);
    const updatedAt = expect.stringMatching(/^2026-01-31T12:/) as string;
    expect(later).toMatchObject({ habits: [], logs: [], deleted: [{ kind: 'log', id: log.id, clientId, updatedAt }] });
    await eva.ask('DELETE', `/${id}`);
    const deleted = [{ kind: 'habit', id }];
    const last = await since(`?cursor=${String(later.next_cursor)}`);
    expect(last).toMatchObject({ habits: [], logs: [], deleted });
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

  it('is known for 400 days, then a device begins again; its rows stay a day longer', async () => {
    const eva = await somebody(accounts);
    const { id } = await eva.habit();
    const { body } = await eva.ask('GET', '/changes');
    await eva.ask('DELETE', `/${id}`);
    const start = accounts.clock.now();
    const setDay = (days: number, ms = 0) => accounts.clock.set(new Date(start.getTime() + days * DAY_MS + ms));
    const changes = async () => {
      const { token } = await accounts.signIn(eva.person);
      return accounts.ask('GET', `/v1/habits/changes?cursor=${String(body.next_cursor)}`, { token });
    };
    setDay(400);
    expect(await changes()).toMatchObject({ status: 200, body: { deleted: [{ kind: 'habit', id }] } });
    setDay(400, 1);
    expect(await changes()).toMatchObject({ status: 400, body: { error: 'cursor_expired' } });
    const left = async (days: number) => {
      setDay(days);
      await accounts.app.get(EraseOldRows, { strict: false }).eraseOld();
      return (await accounts.sql(`SELECT FROM deletions WHERE user_id = $1`, eva.person.id)).length;
    };
    expect([await left(401), await left(402)]).toEqual([1, 0]);
    accounts.clock.set(start);
  });

  it("refuses a cursor that is none, somebody else's, or one that was forged beyond the numbers there are", async () => {
    const eva = await somebody(accounts);
    const { body } = await ana.ask('GET', '/changes');
    const atMicros = `${accounts.clock.now().getTime()}000`;
    const forged = ['00000000-0000-0000-8000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
    const cursors = forged.map((id) => cursorOf(`changes of ${eva.person.id}`, { atMicros, id }));
    for (const cursor of ['x', '', String(body.next_cursor), ...cursors])
      expect(issuesOf(await eva.ask('GET', `/changes?cursor=${cursor}`))).toEqual(['/cursor bad_format']);
    expect(issuesOf(await eva.ask('GET', '/changes?limit=all'))).toEqual(['/limit wrong_type']);
  });
});
