import { Accounts } from '../accounts.fixture';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());

const change = (token: string, body: unknown) => accounts.ask('PATCH', '/v1/auth/me', { token, body });
const me = async (token: string) => (await accounts.ask('GET', '/v1/auth/me', { token })).body;

it('changes what is sent, and nothing else', async () => {
  const { token } = await accounts.person({ displayName: 'Ana', timezone: 'Europe/Madrid' });
  const before = await me(token);
  const changes = { locale: 'pt-BR', dayStartMinutes: 240, weekStart: 'SUNDAY' };
  const { status, body } = await change(token, changes);
  expect([status, body]).toEqual([200, { ...before, ...changes }]);
  expect(await me(token)).toEqual(body);
  const more = { displayName: '  Ana María  ', timezone: 'America/Argentina/Ushuaia' };
  expect((await change(token, more)).body).toEqual({ ...body, ...more, displayName: 'Ana María' });
  expect((await change(token, {})).status).toBe(200);
});

it.each(['GMT', 'US/Pacific', 'CET', 'EST5EDT', 'Asia/Calcutta', 'europe/berlin'])(
  'takes the zone %s, which Intl takes: of some phones it is the only one they know',
  async (timezone) => {
    const { token } = await accounts.person({ timezone });
    expect((await me(token)).timezone).toBe(timezone);
    expect(await change(token, { timezone })).toMatchObject({ status: 200, body: { timezone } });
  },
);

it('clears name and zone by null', async () => {
  const { token } = await accounts.person({ displayName: 'Ana', timezone: 'Europe/Madrid' });
  expect((await change(token, { displayName: null, timezone: null })).body).toMatchObject({
    displayName: null,
    timezone: null,
    locale: 'en',
  });
});

it('loses no change of two devices at once', async () => {
  const { token } = await accounts.person();
  await Promise.all([change(token, { dayStartMinutes: 60 }), change(token, { weekStart: 'SATURDAY' })]);
  expect(await me(token)).toMatchObject({ dayStartMinutes: 60, weekStart: 'SATURDAY' });
});

it.each([
  ['a zone that does not exist', { timezone: 'Europe/Atlantis' }, 'timezone', 'bad_format'],
  ['an offset', { timezone: '+02:00' }, 'timezone', 'bad_format'],
  ['an empty zone', { timezone: '' }, 'timezone', 'bad_format'],
  ['a number as zone', { timezone: 1 }, 'timezone', 'wrong_type'],
  ['an empty name', { displayName: ' ' }, 'displayName', 'too_short'],
  ['a long name', { displayName: 'x'.repeat(81) }, 'displayName', 'too_long'],
  ['no language', { locale: null }, 'locale', 'wrong_type'],
  ['something else as language', { locale: 'en_US!' }, 'locale', 'bad_format'],
  ['a day that begins tomorrow', { dayStartMinutes: 1_440 }, 'dayStartMinutes', 'out_of_range'],
  ['half a minute', { dayStartMinutes: 0.5 }, 'dayStartMinutes', 'wrong_type'],
  ['another week', { weekStart: 'FRIDAY' }, 'weekStart', 'not_in_enum'],
  ['no start of the week', { weekStart: null }, 'weekStart', 'not_in_enum'],
  ['an address', { email: 'ana@example.com' }, 'email', 'unknown_property'],
])('refuses %s', async (_, body, name, code) => {
  const { token } = await accounts.person();
  const before = await me(token);
  const answer = await change(token, body);
  expect([answer.status, answer.body]).toMatchObject([
    400,
    { error: 'validation_failed', details: { issues: [{ path: `/${name}`, code }] } },
  ]);
  expect(await me(token)).toEqual(before);
});

it('takes at registration only what it takes later', async () => {
  const register = (body: object) =>
    accounts.ask('POST', '/v1/auth/register', {
      body: { email: 'new@example.com', password: 'seven quiet otters', ...body },
    });
  for (const profile of [{ timezone: 'Europe/Atlantis' }, { locale: '?' }, { displayName: '' }])
    expect((await register(profile)).status).toBe(400);
  expect((await register({ timezone: 'Asia/Kathmandu', locale: 'ne' })).body.user).toMatchObject({
    timezone: 'Asia/Kathmandu',
    locale: 'ne',
    displayName: null,
  });
});
