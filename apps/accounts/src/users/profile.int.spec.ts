import { eventually } from '@evenkeel/platform/testing';
import { Accounts } from '../accounts.fixture';
import { issuesOf } from '../habits/habits.fixture';

const accounts = Accounts.forSuite();

const change = (token: string, body: unknown) => accounts.ask('PATCH', '/v1/auth/me', { token, body });
const me = async (token: string) => (await accounts.ask('GET', '/v1/auth/me', { token })).body;

it('changes what is sent, clears name and zone by null, and leaves the rest', async () => {
  const { token } = await accounts.person({ displayName: 'Ana', timezone: 'Europe/Madrid' });
  const before = await me(token);
  const changes = { locale: 'pt-BR', dayStartMinutes: 240, weekStart: 'SUNDAY' };
  const { body } = await change(token, changes);
  expect(body).toEqual({ ...before, ...changes });
  expect(await me(token)).toEqual(body);
  const more = { displayName: '  Ana María  ', timezone: 'America/Argentina/Ushuaia' };
  expect((await change(token, more)).body).toEqual({ ...body, ...more, displayName: 'Ana María' });
  const none = { displayName: null, timezone: null };
  expect((await change(token, none)).body).toEqual({ ...body, ...none });
  expect((await change(token, {})).status).toBe(200);
});

/** Intl takes them, and some phones know no others. */
const ZONES = ['GMT', 'US/Pacific', 'CET', 'EST5EDT', 'Asia/Calcutta', 'europe/berlin'];
it.each(ZONES)('takes the zone %s', async (timezone) => {
  const { token } = await accounts.person({ timezone });
  expect((await me(token)).timezone).toBe(timezone);
});

it('loses no change of two devices at once', async () => {
  const { token } = await accounts.person();
  await Promise.all([change(token, { dayStartMinutes: 60 }), change(token, { weekStart: 'SATURDAY' })]);
  expect(await me(token)).toMatchObject({ dayStartMinutes: 60, weekStart: 'SATURDAY' });
});

it('keeps nobody else waiting: requests of one person whose row is locked hold one connection', async () => {
  const [person, other] = [await accounts.person(), await accounts.person()];
  const waiting = await accounts.whileLocked(person.id, async () => {
    const changes = Array.from({ length: 20 }, () => change(person.token, { dayStartMinutes: 60 }));
    const { refreshToken } = person;
    const refresh = () => accounts.ask('POST', '/v1/auth/refresh', { body: { refreshToken } });
    const refreshes = Array.from({ length: 20 }, refresh);
    await eventually(async () => expect(await accounts.waitingForRows()).toBeGreaterThan(0));
    expect(await accounts.statusOf(other.token)).toBe(200);
    expect((await change(other.token, { weekStart: 'SUNDAY' })).status).toBe(200);
    expect(await accounts.waitingForRows()).toBeLessThan(2);
    return [...changes, ...refreshes];
  });
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  // Those that did not have their turn in time may come again.
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect((await change(person.token, { dayStartMinutes: 60 })).status).toBe(200);
});

it.each<[object, string]>([
  [{ timezone: 'Europe/Atlantis' }, '/timezone bad_format'],
  [{ timezone: '+02:00' }, '/timezone bad_format'],
  [{ timezone: '' }, '/timezone bad_format'],
  [{ timezone: 1 }, '/timezone wrong_type'],
  [{ locale: 'en_US!' }, '/locale bad_format'],
  [{ displayName: ' ' }, '/displayName too_short'],
])('refuses %j, when it is changed and at registration', async (body, issue) => {
  const { token } = await accounts.person();
  const before = await me(token);
  expect(issuesOf(await change(token, body))).toEqual([issue]);
  expect(await me(token)).toEqual(before);
  const account = { email: 'new@example.com', password: 'seven quiet otters', ...body };
  expect(issuesOf(await accounts.ask('POST', '/v1/auth/register', { body: account }))).toEqual([issue]);
});
