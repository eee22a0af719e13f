import { Refusal } from './admin-api';
import { backoffMs, Read } from './reads';

const UNREACHABLE = new Refusal('unreachable');
const limited = (retryAfterSeconds: number) => new Refusal('limited', retryAfterSeconds);

it.each([
  [1, UNREACHABLE, 2_000],
  [500, UNREACHABLE, 60_000],
  [1, limited(90), 90_000],
  [4, limited(1), 16_000],
])('after %i failures, the last one %j: %i ms', (failures, refusal, ms) =>
  expect(backoffMs(failures, refusal)).toBe(ms),
);

let nowMs: number;
let error: Error | undefined;
let loads: AbortSignal[];

const readOf = (repeats: boolean) =>
  new Read({
    load: async (signal) => {
      loads.push(signal);
      if (error) throw error;
    },
    changed: () => undefined,
    paceMs: () => 15_000,
    repeats,
    now: () => nowMs,
  });

beforeEach(() => ([nowMs, error, loads] = [0, undefined, []]));

async function loadsWithin(read: Read, ms: number): Promise<number> {
  const before = loads.length;
  for (const end = nowMs + ms; nowMs < end; nowMs += 1_000) {
    read.tick();
    await new Promise(setImmediate);
  }
  read.tick();
  await new Promise(setImmediate);
  return loads.length - before;
}

it('loads every 15 seconds where it repeats, and not again where it does not, until it is due', async () => {
  const [poll, section] = [readOf(true), readOf(false)];
  await Promise.all([poll.start(), section.start()]);
  expect(await loadsWithin(poll, 14_000)).toBe(0);
  expect(await loadsWithin(poll, 1_000)).toBe(1);
  expect(await loadsWithin(section, 600_000)).toBe(0);
  section.due();
  expect(await loadsWithin(section, 14_000)).toBe(1);
  section.due();
  expect(await loadsWithin(section, 0)).toBe(0);
  expect(await loadsWithin(section, 1_000)).toBe(1);
});

it.each([UNREACHABLE, new TypeError('answer.window is undefined')])(
  'tries again after 2, 4, 8 seconds, shows the reason, and clears it with the first success: %s',
  async (failure) => {
    error = failure;
    const read = readOf(false);
    await read.start();
    for (const ms of [2_000, 4_000, 8_000]) {
      expect([await loadsWithin(read, ms - 1_000), read.refusal === undefined, read.loading]).toEqual([
        0,
        false,
        false,
      ]);
      expect(await loadsWithin(read, 1_000)).toBe(1);
    }
    error = undefined;
    await loadsWithin(read, 16_000);
    expect(read.refusal).toBeUndefined();
  },
);

it('aborts the load under way when it starts again, and when it stops', async () => {
  const read = readOf(true);
  const first = read.start();
  const second = read.start();
  read.stop();
  await Promise.all([first, second]);
  expect([loads.map(({ aborted }) => aborted), read.loading]).toEqual([[true, true], false]);
  expect(await loadsWithin(read, 60_000)).toBe(0);
});
