import { setImmediate as nextTurn } from 'node:timers/promises';
import { Deadline, DeadlineExceeded } from './deadline';

const never = new Promise<never>(() => undefined);

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** The result of a wait, and its milliseconds. */
async function outcomeOf(wait: unknown): Promise<{ ended: unknown; afterMs: number }> {
  const begun = performance.now();
  let ended: unknown;
  let endedAt = NaN;
  const done = Promise.resolve(wait).then(
    (value) => ([ended, endedAt] = [value, performance.now()]),
    (error: unknown) => ([ended, endedAt] = [error, performance.now()]),
  );
  await jest.advanceTimersByTimeAsync(60_000);
  await done;
  return { ended, afterMs: endedAt - begun };
}

describe('Deadline', () => {
  it('keeps 200 ms back from every wait', async () => {
    const { ended, afterMs } = await outcomeOf(new Deadline(5_000).within(never));
    expect(ended).toBeInstanceOf(DeadlineExceeded);
    expect(afterMs).toBe(4_800);
  });

  it('lets a statement of the ledger use half of the reserve: the answer has to arrive in time', async () => {
    const { ended, afterMs } = await outcomeOf(new Deadline(5_000).withinBudget(never));
    expect(ended).toBeInstanceOf(DeadlineExceeded);
    expect(afterMs).toBe(4_900);
  });

  it('returns a value, or an error, that comes in time', async () => {
    expect((await outcomeOf(new Deadline(5_000).within(Promise.resolve('in time')))).ended).toBe('in time');
    const failure = new Error('no');
    expect((await outcomeOf(new Deadline(5_000).within(Promise.reject(failure)))).ended).toBe(failure);
  });

  it('returns what is there already, though the time is up', async () => {
    expect(await new Deadline(-1).within(Promise.resolve('there'))).toBe('there');
  });

  it('counts from its creation, not from the wait', async () => {
    const deadline = new Deadline(5_000);
    await jest.advanceTimersByTimeAsync(4_000);
    expect(deadline.leftMs).toBe(800);
    expect((await outcomeOf(deadline.within(never))).afterMs).toBe(800);
    expect(deadline.leftMs).toBe(0);
  });

  it('is over at once without a budget', async () => {
    const { ended, afterMs } = await outcomeOf(new Deadline(-1).within(never));
    expect(ended).toBeInstanceOf(DeadlineExceeded);
    expect(afterMs).toBeLessThanOrEqual(1);
  });

  it('ignores a promise that fails after the end', async () => {
    let fail: (error: Error) => void = () => undefined;
    const late = new Promise((_, reject) => (fail = reject));
    await outcomeOf(new Deadline(300).within(late));
    fail(new Error('too late'));
    await jest.advanceTimersByTimeAsync(1);
  });
});

describe('a pause', () => {
  beforeEach(() => void jest.useRealTimers());

  it('is as long as requested, but never past the end', async () => {
    const lasts = async (pause: () => Promise<void>) => {
      // Timers count from the turn of the event loop in which they are set, so a new turn begins here.
      await nextTurn();
      const begun = performance.now();
      await pause();
      return performance.now() - begun;
    };
    expect(await lasts(() => new Deadline(5_000).pause(30))).toBeGreaterThanOrEqual(28);
    expect(await lasts(() => new Deadline(210).pause(2_000))).toBeLessThan(1_000);
    expect(await lasts(() => new Deadline(100).pause(2_000))).toBeLessThan(1_000);
  });
});
