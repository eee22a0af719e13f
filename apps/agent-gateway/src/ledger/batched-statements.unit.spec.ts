import { eventually } from '@evenkeel/platform/testing';
import { Batcher } from './batched-statements';

type Write = (items: number[]) => Promise<string[]>;

let batches: number[][];
beforeEach(() => (batches = []));

const rowsOf = (items: number[]) => items.map((item) => `row ${item}`);
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Statements that end when the test says so. */
function aHeldWrite() {
  const ends: (() => void)[] = [];
  const write: Write = async (items) => {
    batches.push(items);
    await new Promise<void>((resolve) => ends.push(resolve));
    return rowsOf(items);
  };
  return { write, endNext: () => ends.shift()!() };
}

const failingOn =
  (bad: number, code?: string): Write =>
  async (items) => {
    batches.push(items);
    if (items.includes(bad)) throw Object.assign(new Error('no'), { code });
    return rowsOf(items);
  };

it('writes together what is added in one turn, and gives each its own result', async () => {
  const batcher = new Batcher(failingOn(-1));
  expect(await Promise.all([3, 1, 2].map((item) => batcher.add(item)))).toEqual(['row 3', 'row 1', 'row 2']);
  expect(batches).toEqual([[3, 1, 2]]);
});

it('gathers while a statement runs, one statement at a time, at most 64 rows, and the last ones without others', async () => {
  const { write, endNext } = aHeldWrite();
  const batcher = new Batcher(write);
  const first = batcher.add(0);
  await turn();
  const others = Array.from({ length: 100 }, (_, index) => batcher.add(index + 1));
  await turn();
  expect(batches).toEqual([[0]]);
  endNext();
  expect(await first).toBe('row 0');
  for (const sizes of [
    [1, 64],
    [1, 64, 36],
  ]) {
    await eventually(() => expect(batches.map(({ length }) => length)).toEqual(sizes));
    endNext();
  }
  expect((await Promise.all(others)).at(-1)).toBe('row 100');
});

it('refuses those who waited for a statement that hung, and writes what comes later', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  try {
    let hang!: (error: Error) => void;
    const batcher = new Batcher<number, string>(async (items) => {
      batches.push(items);
      if (items.includes(0)) await new Promise((_, reject) => (hang = reject));
      return rowsOf(items);
    });
    const early = [batcher.add(0)];
    await turn();
    early.push(batcher.add(1), batcher.add(2));
    jest.advanceTimersByTime(2_700);
    hang(new Error('no answer'));
    for (const waiting of early) await expect(waiting).rejects.toThrow('no answer');
    expect(await batcher.add(3)).toBe('row 3');
    expect(batches).toEqual([[0], [3]]);
  } finally {
    jest.useRealTimers();
  }
});

it.each([
  ['22P02', true],
  ['23505', true],
  ['40P01', true],
  ['57P01', false],
  ['08006', false],
  ['55P03', false],
  [undefined, false],
])('after a failure with %s tries each row alone: %p', async (code, alone) => {
  const batcher = new Batcher(failingOn(2, code));
  const results = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
  const others = alone ? 'fulfilled' : 'rejected';
  expect(results.map(({ status }) => status)).toEqual([others, 'rejected', others]);
  expect(batches).toEqual([[1, 2, 3], ...(alone ? [[1], [2], [3]] : [])]);
  expect(await batcher.add(4)).toBe('row 4');
});
