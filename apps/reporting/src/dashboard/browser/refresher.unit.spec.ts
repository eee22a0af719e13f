import { backoffMs, Refresher } from './refresher';
import { type Refusal, Refused } from './refusals';

it.each([
  [1, undefined, 2_000],
  [2, undefined, 4_000],
  [5, undefined, 32_000],
  [6, undefined, 60_000],
  [500, undefined, 60_000],
  [1, 20, 20_000],
  [1, 90, 90_000],
  [4, 1, 16_000],
])('after %i failures, asked to wait %p s: %i ms', (failures, retryAfter, ms) =>
  expect(backoffMs(failures, retryAfter)).toBe(ms),
);

let loads: AbortSignal[];

let refusal: Refusal | undefined;

let visible: boolean;

let refresher: Refresher;

const refresherOf = (over: Partial<ConstructorParameters<typeof Refresher>[0]> = {}) =>
  new Refresher({
    load: async (signal) => {
      loads.push(signal);
      if (refusal) throw new Refused(refusal);
    },
    changed: () => undefined,
    isAllowed: () => visible,
    everyMs: () => 15_000,
    repeats: true,
    now: () => Date.now(),
    ...over,
  });

beforeEach(() => {
  jest.useFakeTimers();
  [loads, refusal, visible] = [[], undefined, true];
  refresher = refresherOf();
});

afterEach(() => {
  refresher.stop();
  jest.useRealTimers();
});

async function loadsWithin(ms: number): Promise<number> {
  const before = loads.length;
  await jest.advanceTimersByTimeAsync(ms);
  return loads.length - before;
}

it('loads at once, then every 15 seconds', async () => {
  refresher.start();
  expect(loads).toHaveLength(1);
  expect(await loadsWithin(14_999)).toBe(0);
  expect(await loadsWithin(1)).toBe(1);
  expect(await loadsWithin(15_000)).toBe(1);
});

it('tries again after 2, 4, 8 seconds, shows the reason, and clears it with the first success', async () => {
  refusal = { kind: 'unreachable' };
  refresher.start();
  for (const ms of [2_000, 4_000, 8_000]) {
    expect(await loadsWithin(ms - 1)).toBe(0);
    expect(refresher.refusal).toEqual({ kind: 'unreachable' });
    expect(await loadsWithin(1)).toBe(1);
  }
  refusal = undefined;
  await loadsWithin(16_000);
  expect(refresher.refusal).toBeUndefined();
  refusal = { kind: 'unreachable' };
  await loadsWithin(15_000);
  expect(await loadsWithin(2_000)).toBe(1);
});

it('waits as long as the server asks', async () => {
  refusal = { kind: 'limited', retryAfterSeconds: 20 };
  refresher.start();
  expect(await loadsWithin(19_999)).toBe(0);
  expect(await loadsWithin(1)).toBe(1);
});

it('loads at once on request, and aborts the load under way', async () => {
  refresher.start();
  void refresher.refresh();
  expect(loads.map(({ aborted }) => aborted)).toEqual([true, false]);
  expect(await loadsWithin(14_999)).toBe(0);
});

it('pauses while hidden, and loads when visible again', async () => {
  refresher.start();
  await loadsWithin(1_000);
  visible = false;
  refresher.allowedChanged();
  expect(await loadsWithin(60_000)).toBe(0);
  visible = true;
  refresher.allowedChanged();
  expect(await loadsWithin(0)).toBe(1);
});

it('does not change its schedule after a moment in the background', async () => {
  refresher.start();
  await loadsWithin(1_000);
  for (visible of [false, true]) refresher.allowedChanged();
  expect(await loadsWithin(13_999)).toBe(0);
  expect(await loadsWithin(1)).toBe(1);
});

it('stops', async () => {
  refresher.start();
  refresher.stop();
  expect(await loadsWithin(60_000)).toBe(0);
  expect(loads[0]!.aborted).toBe(true);
});

it.each([
  ['breaks', () => new TypeError('answer.window is undefined')],
  ['is refused', () => new Refused({ kind: 'unavailable', status: 503, retryAfterSeconds: 0 })],
])('goes on after an answer that %s, and is not loading meanwhile', async (_what, error) => {
  let isBroken = true;
  const told: boolean[] = [];
  const broken: Refresher = refresherOf({
    load: () => (isBroken ? Promise.reject(error()) : Promise.resolve()),
    changed: () => told.push(broken.loading),
  });
  broken.start();
  await jest.advanceTimersByTimeAsync(0);
  expect([told, broken.loading, broken.refusal !== undefined]).toEqual([[true, false], false, true]);
  isBroken = false;
  await jest.advanceTimersByTimeAsync(2_000);
  expect([broken.loading, broken.refusal]).toEqual([false, undefined]);
  broken.stop();
});

describe('one that loads when it should', () => {
  beforeEach(() => {
    refresher = refresherOf({ everyMs: () => 60_000, repeats: false });
    refresher.start();
  });

  it('loads no more by itself', async () => expect(await loadsWithin(600_000)).toBe(0));

  it('loads when it is due, and not sooner than its pace', async () => {
    await loadsWithin(10_000);
    refresher.due();
    expect(await loadsWithin(49_999)).toBe(0);
    expect(await loadsWithin(1)).toBe(1);
    expect(await loadsWithin(60_000)).toBe(0);
    refresher.due();
    expect(await loadsWithin(0)).toBe(1);
  });

  it('tries again after a failure', async () => {
    refusal = { kind: 'unreachable' };
    await refresher.refresh();
    expect(await loadsWithin(2_000)).toBe(1);
  });

  it('waits until it may', async () => {
    visible = false;
    refresher.due();
    expect(await loadsWithin(600_000)).toBe(0);
    visible = true;
    refresher.allowedChanged();
    expect(await loadsWithin(0)).toBe(1);
  });
});
