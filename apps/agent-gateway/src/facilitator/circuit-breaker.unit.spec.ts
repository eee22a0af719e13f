import { ManualClock } from '@evenkeel/kernel';
import { CircuitBreaker } from './circuit-breaker';

let clock: ManualClock;
let circuit: CircuitBreaker;
beforeEach(() => {
  clock = new ManualClock(new Date('2026-01-31T12:00:00.000Z'));
  circuit = new CircuitBreaker(clock);
});

function record(successes: number, failures: number): void {
  for (let i = 0; i < successes; i++) circuit.record(false);
  for (let i = 0; i < failures; i++) circuit.record(true);
}

describe('CircuitBreaker', () => {
  it.each([
    [0, 9, true],
    [0, 10, false],
    [5, 5, false],
    [6, 5, true],
    [100, 99, true],
    [100, 100, false],
  ])('after %i successes and %i failures it admits: %p', (successes, failures, admits) => {
    record(successes, failures);
    expect(circuit.admits()).toBe(admits);
  });

  it('forgets what is older than ten seconds', () => {
    record(0, 9);
    clock.advanceMs(10_000);
    record(0, 1);
    expect(circuit.admits()).toBe(true);
  });

  it('remembers what is younger', () => {
    record(0, 9);
    clock.advanceMs(9_000);
    record(0, 1);
    expect(circuit.admits()).toBe(false);
  });

  it('lets one probe through after five seconds, and one more every five', () => {
    record(0, 10);
    clock.advanceMs(4_999);
    expect(circuit.admits()).toBe(false);
    clock.advanceMs(1);
    expect([circuit.admits(), circuit.admits()]).toEqual([true, false]);
    clock.advanceMs(5_000);
    expect([circuit.admits(), circuit.admits()]).toEqual([true, false]);
  });

  it('stays open after a failed probe', () => {
    record(0, 10);
    clock.advanceMs(5_000);
    circuit.admits();
    clock.advanceMs(1_000);
    circuit.record(true);
    clock.advanceMs(4_999);
    expect(circuit.admits()).toBe(false);
  });

  it('closes after a good probe and begins to count anew', () => {
    record(0, 10);
    clock.advanceMs(5_000);
    circuit.admits();
    circuit.record(false);
    expect([circuit.admits(), circuit.admits()]).toEqual([true, true]);
    record(0, 9);
    expect(circuit.admits()).toBe(true);
  });
});
