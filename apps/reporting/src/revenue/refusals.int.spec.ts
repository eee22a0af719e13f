import { Reporting } from './reporting.fixture';

let reporting: Reporting;
beforeAll(async () => {
  reporting = await Reporting.start();
});
afterAll(() => reporting.close());

const NO_INTEGERS = ['', '%20', '%00', '%ED%A0%80', '1.5', '1e2', 'seven', '%2B7', '0x10', 'NaN'];
const NO_CURSORS = [
  '',
  'next',
  '%00',
  'A'.repeat(38),
  encodeURIComponent('{"verified_at":"2026-01-01"}'),
  'x'.repeat(4_000),
];

const ROUTES = [
  ...['summary', 'endpoints', 'timeseries', 'customers', 'credits', 'cohorts', 'subscriptions', 'reconciliation'],
  ...['payments', 'payments/0194bc3e-5d58-7c1a-9e64-3f1b2a7d8c90', 'changes'],
  ...['payments.csv', 'credits.csv', 'invoices.csv'],
];
const WITH_PERIOD = ROUTES.filter((route) => !/^(reconciliation|payments|payments\/.*|changes)$/.test(route));

/** Clock: 2026-02-10. */
const NO_PERIODS: [query: string, pointer: string, code: string][] = [
  ['from=2026-01-01', '/to', 'required'],
  ['to=2026-01-01', '/from', 'required'],
  ['from=2026-01-02&to=2026-01-01', '/to', 'out_of_range'],
  ['from=2023-01-01&to=2026-01-06', '/to', 'out_of_range'],
  ['from=2026-02-10&to=2026-02-11', '/to', 'out_of_range'],
  ['from=2026-02-30&to=2026-03-01', '/from', 'bad_format'],
  ['from=2026-1-1&to=2026-01-02', '/from', 'bad_format'],
  ['from=&to=2026-01-02', '/from', 'bad_format'],
  ['month=2026-03', '/month', 'out_of_range'],
  ['month=2026-13', '/month', 'bad_format'],
  ['month=2026-1', '/month', 'bad_format'],
  ['month=2026-01&from=2026-01-01&to=2026-01-02', '/from', 'conflict'],
  ['month=2026-01&month=2026-01', '/month', 'conflict'],
];

function refusals(): [path: string, pointer: string, code: string][] {
  const integers = [
    ...['summary', 'endpoints', 'timeseries', 'payments.csv', 'credits', 'subscriptions', 'invoices.csv'].map(
      (route) => [route, 'days'] as const,
    ),
    ...['payments', 'customers', 'reconciliation'].map((route) => [route, 'limit'] as const),
    ['cohorts', 'months'] as const,
  ];
  return [
    ...integers.flatMap(([route, name]) =>
      NO_INTEGERS.map((text): [string, string, string] => [`${route}?${name}=${text}`, `/${name}`, 'wrong_type']),
    ),
    ...['summary', 'endpoints', 'timeseries', 'subscriptions'].flatMap((route) =>
      ['', 'next', 'Previous'].map((text): [string, string, string] => [
        `${route}?compare=${text}`,
        '/compare',
        'not_in_enum',
      ]),
    ),
    ...['payments', 'payments.csv'].flatMap((route) =>
      ['', 'pending', 'SETTLED', 'settled,settlement_failed'].map((text): [string, string, string] => [
        `${route}?status=${text}`,
        '/status',
        'not_in_enum',
      ]),
    ),
    ...WITH_PERIOD.flatMap((route) =>
      NO_PERIODS.map(([query, pointer, code]): [string, string, string] => [`${route}?${query}`, pointer, code]),
    ),
    ...WITH_PERIOD.filter((route) => route !== 'cohorts').flatMap((route): [string, string, string][] => [
      [`${route}?days=7&month=2026-01`, '/days', 'conflict'],
      [`${route}?days=7&from=2026-01-01&to=2026-01-02`, '/days', 'conflict'],
      [`${route}?days=7&days=7`, '/days', 'conflict'],
    ]),
    ['cohorts?months=7&month=2026-01', '/months', 'conflict'],
    ...ROUTES.flatMap((route): [string, string, string][] => [
      [`${route}?unknown=1`, '/unknown', 'unknown_property'],
      [`${route}?a~b%2Fc`, '/a~0b~1c', 'unknown_property'],
      [`${route}?__proto__=1`, '/__proto__', 'unknown_property'],
    ]),
    ...['timeseries?interval=hour', 'timeseries?interval=hour&days=9'].map((path): [string, string, string] => [
      ...([path, '/interval', 'out_of_range'] as const),
    ]),
    ['timeseries?interval=year', '/interval', 'not_in_enum'],
    ...['', 'wallet', 'Paid_calls'].map((text): [string, string, string] => [
      ...([`customers?sort=${text}`, '/sort', 'not_in_enum'] as const),
    ]),
    ['customers?sort=window_spend', '/sort', 'conflict'],
    ['customers?compare=previous', '/compare', 'conflict'],
    ['customers?days=7&compare=next', '/compare', 'not_in_enum'],
    ...[...NO_CURSORS, 'A'.repeat(59)].map((text): [string, string, string] => [
      ...([`customers?cursor=${text}`, '/cursor', 'bad_format'] as const),
    ]),
    ['payments?group=all', '/group', 'not_in_enum'],
    ...['summary', 'endpoints', 'timeseries', 'payments', 'payments.csv'].map((route): [string, string, string] => [
      ...([`${route}?basis=cash`, '/basis', 'not_in_enum'] as const),
    ]),
    ['payments?q=', '/q', 'too_short'],
    ...['q', 'endpoint', 'wallet', 'day', 'cursor'].map((name): [string, string, string] => [
      ...([`payments?${name}=%00`, `/${name}`, 'bad_format'] as const),
    ]),
    [`payments?q=${'x'.repeat(201)}`, '/q', 'too_long'],
    ['payments?wallet=0x12', '/wallet', 'bad_format'],
    ['payments?day=2026-02-30', '/day', 'bad_format'],
    ['payments?day=2026-02-10&from=2026-02-10&to=2026-02-10', '/from', 'conflict'],
    ['payments?from=2026-02-10', '/to', 'required'],
    ['payments/7', '/id', 'bad_format'],
    ...NO_CURSORS.map((text): [string, string, string] => [`payments?cursor=${text}`, '/cursor', 'bad_format']),
  ];
}

it.each(refusals())('%s is 400 at %s: %s', async (path, pointer, code) => {
  const { status, body } = await reporting.read(path);
  expect([status, body.error]).toEqual([400, 'validation_failed']);
  expect(body.details).toEqual({ issues: [{ path: pointer, code, message: expect.any(String) }] });
});

it.each([
  ['summary?days=0', { window: { days: 1 } }],
  ['endpoints?days=-1', { days: 1 }],
  ['timeseries?days=366', { days: 365 }],
  ['credits?days=99999999999999999999', { days: 365 }],
  ['payments?limit=0', { limit: 1 }],
  ['customers?limit=201', { limit: 200 }],
  ['reconciliation?limit=-5', { limit: 1 }],
  ['cohorts?months=25', { months: 24 }],
  ['subscriptions?days=366', { days: 365 }],
  ['summary', { window: { days: 30 } }],
  ['payments', { limit: 25 }],
  ['cohorts', { months: 12 }],
  ['cohorts?months=2', { months: 2, from: '2026-01', to: '2026-02' }],
  ['cohorts?month=2025-11', { months: 1, from: '2025-11', to: '2025-11' }],
  ['summary?from=2023-02-05&to=2026-02-09', { window: { days: 1_101 } }],
  ['timeseries?interval=hour&days=8', { days: 8, interval: 'hour' }],
])('%s is %j', async (path, expected) => expect(await reporting.answer(path)).toMatchObject(expected));

it('answers the same as a problem document on request', async () => {
  const { status, headers, body } = await reporting.send('/v1/admin/revenue/summary', {
    headers: { accept: 'application/problem+json' },
  });
  expect([status, headers.get('content-type')]).toEqual([401, 'application/problem+json; charset=utf-8']);
  expect(body).toMatchObject({ type: 'https://api.example/docs/errors#invalid_admin_token', status: 401 });
});
