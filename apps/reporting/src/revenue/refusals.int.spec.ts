import type { JsonSchema } from '@evenkeel/contracts';
import { OPERATOR_ROUTES } from './documented-queries.fixture';
import { Reporting } from './reporting.fixture';

const reporting = Reporting.forSuite();

type Refusal = [query: string, pointer: string, code: string];

const NO_INTEGERS = ['', '%20', '%00', '%ED%A0%80', '1.5', '1e2', 'seven', '%2B7', '0x10', 'NaN'];
const NO_DAYS = ['', '%00', '2026-02-30', '2026-1-1', '2026-01-01T00:00:00Z'];
const NO_PATTERNS = ['', '%00', 'next', '2026-13', '2026-1', '0x12', 'A'.repeat(38), 'A'.repeat(59), 'x'.repeat(4_000)];

/** Texts that are no value of a member, with the code of their refusal. */
function noValuesOf({ type, enum: words, format, minLength, pattern }: JsonSchema): [text: string, code: string][] {
  const all = (texts: string[], code: string) => texts.map((text): [string, string] => [text, code]);
  if (type === 'integer') return all(NO_INTEGERS, 'wrong_type');
  if (words) return all(['', 'next', String(words[0]).toUpperCase()], 'not_in_enum');
  if (format === 'date') return all(NO_DAYS, 'bad_format');
  if (minLength !== undefined) {
    return [...all([''], 'too_short'), ...all(['%00'], 'bad_format'), ...all(['x'.repeat(201)], 'too_long')];
  }
  return pattern === undefined ? [] : all(NO_PATTERNS, 'bad_format');
}

/** Of every member, and of members that no route has. */
function refusalsOf({ path, members, query }: (typeof OPERATOR_ROUTES)[number]): Refusal[] {
  const asked = (more: string) => `${path}?${[query, more].filter((text) => text !== '').join('&')}`;
  const others = members.filter(({ name }) => !query.startsWith(name));
  return [
    ...others.flatMap(({ name, schema }) =>
      noValuesOf(schema).map(([text, code]): Refusal => [asked(`${name}=${text}`), `/${name}`, code]),
    ),
    ...members.map(({ name }): Refusal => [`${path}?${name}=1&${name}=1`, `/${name}`, 'conflict']),
    [asked('unknown=1'), '/unknown', 'unknown_property'],
    [asked('a~b%2Fc'), '/a~0b~1c', 'unknown_property'],
    [asked('__proto__=1'), '/__proto__', 'unknown_property'],
  ];
}

/** Clock: 2026-02-10. */
const TOGETHER: Refusal[] = [
  ['summary?from=2026-01-01', '/to', 'required'],
  ['summary?to=2026-01-01', '/from', 'required'],
  ['summary?from=2026-01-02&to=2026-01-01', '/to', 'out_of_range'],
  ['summary?from=2023-01-01&to=2026-01-06', '/to', 'out_of_range'],
  ['summary?from=2026-02-10&to=2026-02-11', '/to', 'out_of_range'],
  ['credits.csv?from=2026-02-10&to=2026-02-11', '/to', 'out_of_range'],
  ['summary?month=2026-03', '/month', 'out_of_range'],
  ['summary?from=0000-01-01&to=0000-01-01', '/from', 'out_of_range'],
  ['payments?day=0000-01-01', '/day', 'out_of_range'],
  ['payments?day=9999-12-31', '/day', 'out_of_range'],
  ['payments?from=9999-12-01&to=9999-12-31', '/to', 'out_of_range'],
  ['summary?month=2026-01&from=2026-01-01&to=2026-01-02', '/from', 'conflict'],
  ['summary?days=7&month=2026-01', '/days', 'conflict'],
  ['cohorts?months=7&month=2026-01', '/months', 'conflict'],
  ['payments?day=2026-02-10&from=2026-02-10&to=2026-02-10', '/from', 'conflict'],
  ['timeseries?interval=hour', '/interval', 'out_of_range'],
  ['timeseries?interval=hour&days=9', '/interval', 'out_of_range'],
  ['customers?sort=window_spend', '/sort', 'conflict'],
  ['customers?sort=window_fall&days=7', '/sort', 'conflict'],
  ['customers?compare=previous', '/compare', 'conflict'],
  ['payments/7', '/id', 'bad_format'],
  ['statement', '/month', 'required'],
];

it.each([
  ...OPERATOR_ROUTES.flatMap(refusalsOf),
  ...TOGETHER.map(([query, ...refusal]): Refusal => [`/v1/admin/revenue/${query}`, ...refusal]),
])('%s is 400 at %s: %s', async (path, pointer, code) => {
  const { status, body } = await reporting.sendAsOperator(path);
  expect([status, body.error]).toEqual([400, 'validation_failed']);
  expect(body.details).toEqual({ issues: [{ path: pointer, code, message: expect.any(String) }] });
});

it.each([
  ['summary?days=0', { window: { days: 1 } }],
  ['credits?days=99999999999999999999', { days: 365 }],
  ['payments?limit=-5', { limit: 1 }],
  ['customers?limit=201', { limit: 200 }],
  ['cohorts?months=25', { months: 24 }],
  ['summary', { window: { days: 30 } }],
  ['payments', { limit: 25 }],
  ['cohorts', { months: 12, from: '2025-03', to: '2026-02' }],
  ['cohorts?month=2025-11', { months: 1, from: '2025-11', to: '2025-11' }],
  ['summary?from=2023-02-05&to=2026-02-09', { window: { days: 1_101 } }],
  ['timeseries?interval=hour&days=8', { days: 8, interval: 'hour' }],
])('%s is %j', async (path, expected) => expect(await reporting.answer(path)).toMatchObject(expected));

it('answers the same as a problem document on request', async () => {
  const { status, headers, body } = await reporting.send('/v1/admin/revenue/summary', {
    headers: { accept: 'application/problem+json' },
  });
  expect([status, headers.get('content-type')]).toEqual([401, 'application/problem+json; charset=utf-8']);
  expect(body).toMatchObject({ type: 'https://api.example/problems/invalid_admin_token', status: 401 });
});
