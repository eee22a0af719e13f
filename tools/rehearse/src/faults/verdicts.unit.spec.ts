import { WrongAnswer } from '../cluster';
import { NEEDS, type Kind } from './needs';
import {
  backAfterMs,
  othersP99,
  restarted,
  wrongIn,
  wrongInCalm,
  wrongInFaults,
  type Answer,
  type Phase,
} from './verdicts';

const phase: Phase = { thing: 'accounts-database', fault: 'hung', from: 10_000, until: 30_000 };

/** One of each kind, every second from the beginning of the fault to ten seconds after its end. */
const right: Answer[] = (Object.keys(NEEDS) as Kind[]).flatMap((kind) =>
  Array.from({ length: 30 }, (_, second) => ({ kind, at: 10_000 + second * 1_000, ms: 20 })),
);

function refusal(status: number, code: string, headers: Record<string, string> = { 'retry-after': '2' }): WrongAnswer {
  const text = JSON.stringify({ error: code, message: 'Wait.' });
  return new WrongAnswer(`GET /: ${status}`, { status, text, headers });
}

const unavailable = refusal(503, 'service_unavailable');
const login = { kind: 'login', at: 15_000, ms: 2_000, error: unavailable } as const;

function found(...more: Answer[]): string[] {
  return wrongIn(phase, [...right, ...more]);
}

it('finds nothing where those who need it fail soon and in documented words, and nobody else', () => {
  expect(found(login, { ...login, at: 34_900 })).toEqual([]);
  const gateway: Phase = { ...phase, thing: 'agent-gateway-database' };
  const paid = { kind: 'paid', at: 15_000, ms: 2_500, error: refusal(502, 'settlement_unknown') } as const;
  expect(wrongIn(gateway, [...right, paid, { ...paid, error: refusal(429, 'rate_limited') }])).toEqual([]);
  const stripe: Phase = { ...phase, thing: 'stripe' };
  const checkout = { kind: 'checkout', at: 15_000, ms: 4_900, error: unavailable } as const;
  expect(wrongIn(stripe, [...right, checkout])).toEqual([]);
});

it.each<[string, Answer, RegExp]>([
  [
    'a failure of who does not need it',
    { ...login, kind: 'discovery', ms: 20 },
    /^accounts-database hung: it is not needed, and/,
  ],
  ['one who does not need it and is slow', { kind: 'plan', at: 15_000, ms: 1_001 }, /p99 of plan is 1001 ms/],
  ['one that is not fast', { ...login, ms: 3_001 }, /an answer took 3001 ms/],
  ['a 502 on a path of people', { ...login, error: refusal(502, 'service_unavailable') }, /not a documented failure/],
  ['a 500', { ...login, error: refusal(500, 'internal_error') }, /not a documented failure: login: GET \/: 500/],
  ['one without Retry-After', { ...login, error: refusal(503, 'service_unavailable', {}) }, /not a documented failure/],
  ['a broken connection', { ...login, error: new Error('other side closed') }, /documented failure: login: other side/],
  ['one that comes 5 s after the end', { ...login, at: 35_000 }, /still 5\.0 s after its end: login/],
])('finds %s', (_what, answer, sentence) => {
  expect(found(answer)).toEqual([expect.stringMatching(sentence)]);
});

it('finds a page of the edge where the words of a buyer belong, and an answer that is not JSON', () => {
  const gateway: Phase = { ...phase, thing: 'agent-gateway-database' };
  const paid = { kind: 'paid', at: 15_000, ms: 20, error: unavailable } as const;
  expect(wrongIn(gateway, [...right, paid])).toHaveLength(1);
  const page = new WrongAnswer('503', { status: 503, text: '<html>', headers: { 'retry-after': '1' } });
  expect(found({ ...login, error: page })).toHaveLength(1);
});

it('lets nobody wait, and refuses nobody without words, while anything fails', () => {
  const cut = { kind: 'log', at: 15_000, ms: 20, error: refusal(502, 'service_unavailable') } as const;
  expect(wrongInFaults([...right, login, cut], 0)).toEqual([]);
  expect(wrongInFaults([{ ...login, ms: 5_001 }], 5_000)).toEqual([
    expect.stringMatching(/^P9: an answer took 5001 ms: .*, sent at 10\.0 s$/),
  ]);
  const undocumented = [refusal(500, 'internal_error'), new Error('other side closed'), refusal(503, 'busy', {})];
  expect(
    wrongInFaults(
      undocumented.map((error) => ({ ...cut, error })),
      0,
    ),
  ).toHaveLength(3);
});

it('is not content with a kind that nobody asked for', () => {
  const some = right.filter(({ kind }) => kind !== 'summary');
  expect(wrongIn(phase, some)).toEqual(['accounts-database hung: no request of summary was sent meanwhile']);
});

it('gives databases that are only slow as long as everything has', () => {
  const slow: Phase = { ...phase, fault: 'slow' };
  expect(wrongIn(slow, [...right, { ...login, ms: 4_900 }])).toEqual([]);
  expect(wrongIn(slow, [...right, { kind: 'login', at: 15_000, ms: 5_100 }])).toHaveLength(1);
});

it('says when it was back, and how long the others took', () => {
  expect(backAfterMs(phase, [...right, login])).toBe(0);
  expect(backAfterMs(phase, [...right, { ...login, at: 31_500 }])).toBe(1_500);
  expect(othersP99(phase, right)).toBe(20);
});

it('finds every failure where there is no fault', () => {
  expect(wrongInCalm(right)).toEqual([]);
  expect(wrongInCalm([login])).toHaveLength(1);
});

it('finds a process that has ended or was started again', () => {
  const before = new Map([
    ['accounts-1', 7],
    ['accounts-2', 8],
  ]);
  expect(restarted(before, before)).toEqual([]);
  const after = new Map([
    ['accounts-1', undefined],
    ['accounts-2', 9],
  ]);
  expect(restarted(before, after)).toEqual(['accounts-1 has ended', 'accounts-2 is process 9, and was 8']);
});
