import { type KindResult, REQUEST_KINDS, type RequestKind } from '../../cluster';
import { conclude, figuresOf, missedFloors, tableOf } from './verdicts';

const nothing: KindResult = { sent: 0, times: [], lastAt: 0, failed: 0, failures: [] };
const run = { begunAt: 1_000, endedAt: 11_000 };

function figures(login: Partial<KindResult>, asked = 10) {
  const results = Object.fromEntries(REQUEST_KINDS.map((kind) => [kind, { ...nothing }]));
  results['login'] = { ...nothing, lastAt: 11_000, ...login };
  return figuresOf({ login: asked }, results as Record<RequestKind, KindResult>, run);
}

const times = (count: number, ms: number): number[] => Array.from({ length: count }, () => ms);

it('a floor is met when the rate was reached in time and nothing failed', () => {
  const met = figures({ times: [...times(99, 20), 300] });
  expect(met).toEqual([{ kind: 'login', asked: 10, reached: 10, p50Ms: 20, p99Ms: 20, failed: 0, failures: [] }]);
  expect(missedFloors(met)).toEqual([]);
});

it.each([
  ['too few were answered', { times: times(80, 20) }, ['login: 8 a second in place of 10']],
  ['the last answers came late', { times: times(100, 20), lastAt: 21_000 }, ['login: 5 a second in place of 10']],
  [
    'two in a hundred were slow',
    { times: [...times(98, 20), 120, 140] },
    ['login: one in a hundred took 120 ms or more in place of 100'],
  ],
  ['one failed', { times: times(100, 20), failed: 1 }, ['login: 1 failed']],
  ['nothing was answered', { failed: 100 }, ['login: 0 a second in place of 10', 'login: 100 failed']],
])('it is missed when %s', (_what, result, sentences) => {
  expect(missedFloors(figures(result))).toEqual(sentences);
});

it.each([
  ['all floors are met', { times: times(100, 20) }, false, [0, 'All floors are met.\n']],
  ['one is missed', { times: times(80, 20) }, false, [1, 'MISSED  login: 8 a second in place of 10\n']],
  ['it was stopped', { times: times(100, 20) }, true, [1, 'Stopped before its end.\n']],
])('ends with a code and a sentence: %s', (_what, result, wasStopped, ended) => {
  let said = '';
  const code = conclude(figures(result), wasStopped, (text) => (said += text));
  expect([code, said]).toEqual(ended);
});

it('counts equal failures once, the most frequent first', () => {
  const failures = ['1 after 10 ms: GET /: 500', '2 after 7 ms: GET /: 503', '3 after 12 ms: GET /: 500'];
  expect(figures({ failed: 3, failures })[0]!.failures).toEqual(['2 times: GET /: 500', '1 times: GET /: 503']);
});

it('says in a table what was asked and what came', () => {
  const [head, row] = tableOf(figures({ failed: 100 })).split('\n');
  expect(head).toBe('requests        asked/s  reached/s     p50 ms     p99 ms     failed      floor');
  expect(row).toBe('login                10          0          -          -        100     missed');
});
