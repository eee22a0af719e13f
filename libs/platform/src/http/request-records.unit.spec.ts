import pino from 'pino';
import { CountedAnswers } from './request-records';

const lines: string[] = [];
const counted = new CountedAnswers(
  pino({ base: undefined, timestamp: false }, { write: (line) => void lines.push(line) }),
);
const written = () => lines.splice(0).map((line) => JSON.parse(line) as Record<string, unknown>);

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('writes every ten seconds how often what was answered', () => {
  for (const status of [402, 402, 413, 402]) counted.add('/plan', status);
  counted.add('/analyze', 402);
  jest.advanceTimersByTime(9_999);
  expect(written()).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(written()).toEqual([
    expect.objectContaining({ path: '/plan', status: 402, count: 3, msg: 'requests' }),
    expect.objectContaining({ path: '/plan', status: 413, count: 1 }),
    expect.objectContaining({ path: '/analyze', status: 402, count: 1 }),
  ]);
});

it('is silent while nothing is answered, and begins again', () => {
  counted.add('/plan', 402);
  jest.advanceTimersByTime(60_000);
  expect(written()).toHaveLength(1);
  counted.add('/plan', 402);
  jest.advanceTimersByTime(10_000);
  expect(written()).toEqual([expect.objectContaining({ count: 1 })]);
});
