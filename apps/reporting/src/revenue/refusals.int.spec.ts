import { Reporting } from './reporting.fixture';

let reporting: Reporting;
beforeAll(async () => {
  reporting = await Reporting.start();
});
afterAll(() => reporting.close());

const NO_INTEGERS = ['', '%20', '%00', '%ED%A0%80', '1.5', '1e2', 'seven', '%2B7', '0x10', 'NaN', '7&{}=7'];
const NO_CURSORS = [
  '',
  'next',
  '%00',
  'A'.repeat(38),
  encodeURIComponent('{"verified_at":"2026-01-01"}'),
  'x'.repeat(8_000),
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
      NO_INTEGERS.map((text): [string, string, string] => [
        `${route}?${name}=${text.replace('{}', name)}`,
        `/${name}`,
        'wrong_type',
      ]),
    ),
    ...['summary', 'endpoints', 'timeseries', 'subscriptions'].flatMap((route) =>
      ['', 'next', 'Previous', 'previous&compare=previous'].map((text): [string, string, string] => [
        `${route}?compare=${text}`,
        '/compare',
        'not_in_enum',
      ]),
    ),
    ...['payments', 'payments.csv'].flatMap((route) =>
      ['', 'pending', 'SETTLED', 'settled,settlement_failed', 'settled&status=settled'].map(
        (text): [string, string, string] => [`${route}?status=${text}`, '/status', 'not_in_enum'],
      ),
    ),
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
  ['summary?unknown=1', { window: { days: 30 } }],
])('%s is %j', async (path, expected) => expect(await reporting.answer(path)).toMatchObject(expected));

it('answers the same as a problem document on request', async () => {
  const { status, headers, body } = await reporting.send('/v1/admin/revenue/summary', {
    headers: { accept: 'application/problem+json' },
  });
  expect([status, headers.get('content-type')]).toEqual([401, 'application/problem+json; charset=utf-8']);
  expect(body).toMatchObject({ type: 'https://api.example/problems/invalid_admin_token', status: 401 });
});
