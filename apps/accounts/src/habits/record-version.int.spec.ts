import { Accounts } from '../accounts.fixture';
import { somebody, type HabitsOf } from './habits.fixture';

const accounts = Accounts.forSuite();
let ana: HabitsOf;
beforeAll(async () => {
  ana = await somebody(accounts);
  await accounts.grantPremium(ana.person.id);
});

it.each(['habit', 'log'])(
  'a condition holds while the %s is as it was, and is 412 once it has changed',
  async (kind) => {
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
  },
);

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
