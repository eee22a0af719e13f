import { CircuitBreaker, type CallResult } from './circuit-breaker';

let nowMs: number;
let circuit: CircuitBreaker;
beforeEach(() => {
  nowMs = 1_000_000;
  circuit = new CircuitBreaker(() => nowMs);
});

const pass = (ms: number) => void (nowMs += ms);
const admits = (caller: string | null = 'a') => circuit.admits(caller);

function record(successes: number, failures: number): void {
  repeat(successes, 'answered');
  repeat(failures, 'failed');
}

function repeat(times: number, result: CallResult, caller: string | null = 'a'): void {
  for (let i = 0; i < times; i++) circuit.record(result, caller);
}

it.each([
  [0, 10, false],
  [5, 5, false],
  [6, 5, true],
  [100, 100, false],
])('after %i successes and %i failures it admits: %p', (successes, failures, admitted) => {
  record(successes, failures);
  expect(admits()).toBe(admitted);
});

it.each([
  [9_000, false],
  [10_000, true],
])('failures that are %i ms old are as those of now, or forgotten', (ageMs, admitted) => {
  record(0, 9);
  pass(ageMs);
  record(0, 1);
  expect(admits()).toBe(admitted);
});

it('five callers may probe every five seconds, each once, our worker among them', () => {
  record(0, 10);
  pass(4_999);
  expect(admits()).toBe(false);
  pass(1);
  const callers = ['a', 'b', null, 'c', 'd', 'e'];
  expect(callers.map(admits)).toEqual([true, true, true, true, true, false]);
  circuit.record('failed', 'a');
  expect(callers.map(admits)).not.toContain(true);
  pass(5_000);
  expect(['e', 'a', 'a'].map(admits)).toEqual([true, true, false]);
});

it('closes after a good probe and begins to count from nothing', () => {
  record(0, 10);
  pass(5_000);
  admits();
  circuit.record('answered', 'a');
  expect([admits(), admits()]).toEqual([true, true]);
  record(0, 9);
  expect(admits()).toBe(true);
});

describe('answers that decide nothing', () => {
  it('are a failure once in a minute for each caller', () => {
    circuit.record('undecided', 'a');
    pass(59_999);
    record(0, 8);
    repeat(100, 'undecided');
    expect(admits()).toBe(true);
    pass(1);
    circuit.record('undecided', 'a');
    expect(admits()).toBe(true);
    circuit.record('undecided', 'b');
    expect(admits()).toBe(false);
  });

  it('waste no probe: five hostile callers leave one to the next', () => {
    record(0, 10);
    pass(5_000);
    for (let i = 0; i < 5; i++) {
      expect(admits(`hostile ${i}`)).toBe(true);
      circuit.record('undecided', `hostile ${i}`);
      expect(admits(`hostile ${i}`)).toBe(false);
    }
    expect(admits('honest')).toBe(true);
    circuit.record('answered', 'honest');
    expect(admits('hostile 0')).toBe(true);
  });
});
