import pino from 'pino';
import { AnswerTally } from './answer-tally';

const lines: string[] = [];
const tally = new AnswerTally(pino({ base: undefined, timestamp: false }, { write: (line) => void lines.push(line) }));
const said = () => lines.splice(0).map((line) => JSON.parse(line) as Record<string, unknown>);

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('says every ten seconds how often what was answered', () => {
  for (const status of [402, 402, 413, 402]) tally.add('/plan', status);
  tally.add('/analyze', 402);
  jest.advanceTimersByTime(9_999);
  expect(said()).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(said()).toEqual([
    expect.objectContaining({ path: '/plan', status: 402, count: 3, msg: 'requests' }),
    expect.objectContaining({ path: '/plan', status: 413, count: 1 }),
    expect.objectContaining({ path: '/analyze', status: 402, count: 1 }),
  ]);
});

it('is silent while nothing is answered, and begins anew', () => {
  tally.add('/plan', 402);
  jest.advanceTimersByTime(60_000);
  expect(said()).toHaveLength(1);
  tally.add('/plan', 402);
  jest.advanceTimersByTime(10_000);
  expect(said()).toEqual([expect.objectContaining({ count: 1 })]);
});
