import { randomUUID } from 'node:crypto';
import { Accounts } from '../accounts.fixture';
import { somebody, type HabitsOf } from './habits.fixture';

let accounts: Accounts;
let ana: HabitsOf;
beforeAll(async () => {
  accounts = await Accounts.start();
  ana = await somebody(accounts);
  await accounts.grantPremium(ana.person.id);
});
afterAll(() => accounts.close());

const LOG = { occurredAt: '2026-01-31T08:00:00Z', status: 'COMPLETED' };

describe('a clientId', () => {
  it.each<[Record<string, unknown>]>([
    [{ name: 'Another name' }],
    [{ description: 'in the park' }],
    [{ targetPerWeek: 3 }],
    [{ startDate: '2026-01-01T00:00:00.000Z' }],
    [{ order: 2 }],
    [{ color: '#ffffff' }],
  ])(
    'answers 409 with both when a clientId comes again with %j, which was answered with 200 and lost',
    async (other) => {
      const body = { name: 'Read', clientId: randomUUID(), color: '#2e7d32' };
      const { body: stored } = await ana.ask('POST', '', body);
      const reply = await ana.ask('POST', '', { ...body, ...other });
      expect(reply).toMatchObject({ status: 409, body: { error: 'conflict' } });
      expect(reply.body.details).toEqual({ stored, sent: expect.objectContaining({ clientId: body.clientId }) });
      expect(reply.body.details).toMatchObject({ sent: other });
      expect((await ana.ask('GET', `/${String(stored.id)}`)).body).toEqual(stored);
    },
  );

  it('knows a clientId with another start of the same moment, and a change that says what came', async () => {
    const body = { name: 'Read', clientId: randomUUID(), startDate: '2026-01-01T00:00:00Z' };
    const { body: stored } = await ana.ask('POST', '', body);
    const again = { ...body, startDate: '2026-01-01T01:00:00+01:00', clientId: body.clientId.toUpperCase() };
    expect(await ana.ask('POST', '', again)).toMatchObject({ status: 200, body: { id: stored.id } });
    await ana.ask('PATCH', `/${String(stored.id)}`, { name: 'Read more' });
    expect((await ana.ask('POST', '', body)).status).toBe(409);
    expect((await ana.ask('POST', '', { ...body, name: 'Read more' })).status).toBe(200);
  });

  it('shows no clientId where only an Idempotency-Key named the request', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const { body } = await ana.ask('POST', '', { name: 'Read' }, headers);
    expect(body.clientId).toBeNull();
    const log = await ana.ask('POST', `/${String(body.id)}/logs`, LOG, headers);
    expect(log).toMatchObject({ status: 201, body: { clientId: null } });
    await ana.ask('DELETE', `/${String(body.id)}/logs/${String(log.body.id)}`);
    await ana.ask('DELETE', `/${String(body.id)}`);
    const { body: changes } = await ana.ask('GET', '/changes?limit=1000');
    const gone = (changes.deleted as { id: string }[]).filter(({ id }) =>
      [body.id, log.body.id].some((deleted) => deleted === id),
    );
    expect(gone).toEqual(
      [log.body.id, body.id].map((id) => expect.objectContaining({ id, clientId: null }) as unknown),
    );
  });
});

it('repeats the ETag too when a request is repeated with its Idempotency-Key', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const { id } = await ana.habit();
  for (const [path, body] of [
    ['', { name: 'Read' }],
    [`/${id}/logs`, LOG],
  ] as const) {
    const [first, second] = [await ana.ask('POST', path, body, headers), await ana.ask('POST', path, body, headers)];
    expect([second.status, second.text, second.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
    expect(second.headers.get('etag')).toBe(`"${String(first.body.updatedAt)}"`);
  }
});

describe('a condition on a change', () => {
  const LATER = 60_000;

  it.each(['habit', 'log'])(
    'holds while the %s is as it was, and is 412 once somebody else has changed it',
    async (kind) => {
      const { id } = await ana.habit();
      const { body: log, headers: created } = await ana.log(id);
      const path = kind === 'habit' ? `/${id}` : `/${id}/logs/${String(log.id)}`;
      const first = kind === 'habit' ? (await ana.ask('GET', path)).headers.get('etag')! : created.get('etag')!;
      const change = (tag: string | undefined, body: object) =>
        ana.ask('PATCH', path, body, tag === undefined ? {} : { 'if-match': tag });
      const [name, other] = kind === 'habit' ? [{ name: 'One' }, { name: 'Two' }] : [{ note: 'one' }, { note: 'two' }];
      const changed = await change(first, name);
      expect(changed).toMatchObject({ status: 200, body: name });
      const second = changed.headers.get('etag')!;
      expect(second).toBe(`"${String(changed.body.updatedAt)}"`);
      expect(second).not.toBe(first);

      const lost = await change(first, other);
      expect(lost).toMatchObject({ status: 412, body: { error: 'precondition_failed' } });
      expect(lost.body.details).toEqual({ updatedAt: changed.body.updatedAt });
      expect((await ana.ask('DELETE', path, undefined, { 'if-match': first })).status).toBe(412);
      expect((await change('"never"', other)).status).toBe(412);
      const sameMoment = `"${String(changed.body.updatedAt).replace('Z', '+00:00')}"`;
      expect((await change(sameMoment, name)).status).toBe(200);
      for (const tag of ['"never", *', '*', undefined]) expect((await change(tag, name)).status).toBe(200);
      const { body: now } = await change(undefined, name);
      expect((await change(`W/"${String(now.updatedAt)}"`, other)).status).toBe(200);
      expect((await ana.ask('DELETE', path, undefined, { 'if-match': '*' })).status).toBe(204);
      expect((await change('*', other)).status).toBe(404);
    },
  );

  it('lets one of many changes through that know the same version', async () => {
    const { id } = await ana.habit();
    const tag = (await ana.ask('GET', `/${id}`)).headers.get('etag')!;
    const names = Array.from({ length: 10 }, (_, n) => `Name ${n}`);
    const replies = await Promise.all(names.map((name) => ana.ask('PATCH', `/${id}`, { name }, { 'if-match': tag })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)]);
  });

  it('has another updatedAt after each change, even of one moment', async () => {
    const { id, updatedAt } = await ana.habit();
    const seen = [String(updatedAt)];
    for (const path of [`/${id}/archive`, `/${id}/unarchive`])
      seen.push(String((await ana.ask('POST', path)).body.updatedAt));
    seen.push(String((await ana.ask('PATCH', `/${id}`, { order: 3, color: null })).body.updatedAt));
    expect(new Set(seen).size).toBe(4);
    accounts.clock.advanceMs(LATER);
    const { body } = await ana.ask('PATCH', `/${id}`, { order: null, color: '#ABCDEF' });
    expect(body).toMatchObject({ order: null, color: '#abcdef', updatedAt: accounts.clock.now().toISOString() });
    accounts.clock.advanceMs(-LATER);
  });
});
