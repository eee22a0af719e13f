import { eventually } from '../testing';
import { Batcher } from './batched-statements';

type Write = (items: number[]) => Promise<string[]>;

/** A statement that ends when the test says so. */
function aHeldWrite() {
  const batches: number[][] = [];
  const ends: (() => void)[] = [];
  const write: Write = async (items) => {
    batches.push(items);
    await new Promise<void>((resolve) => ends.push(resolve));
    return items.map((item) => `row ${item}`);
  };
  return { batches, write, endNext: () => ends.shift()!() };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const failingOn =
  (bad: number, code: string, batches: number[][]): Write =>
  async (items) => {
    batches.push(items);
    if (items.includes(bad)) throw Object.assign(new Error('no'), { code });
    return items.map((item) => `row ${item}`);
  };

describe('Batcher', () => {
  it('writes together what is added in one turn, and gives each its own result', async () => {
    const batches: number[][] = [];
    const batcher = new Batcher<number, string>(failingOn(-1, '', batches));
    const results = await Promise.all([3, 1, 2].map((item) => batcher.add(item)));
    expect(results).toEqual(['row 3', 'row 1', 'row 2']);
    expect(batches).toEqual([[3, 1, 2]]);
  });

  it('gathers while a statement runs, one statement at a time, at most 64 rows', async () => {
    const { batches, write, endNext } = aHeldWrite();
    const batcher = new Batcher<number, string>(write);
    const first = batcher.add(0);
    await turn();
    const others = Array.from({ length: 100 }, (_, index) => batcher.add(index + 1));
    await turn();
    expect(batches).toEqual([[0]]);

    endNext();
    await expect(first).resolves.toBe('row 0');
    await turn();
    expect(batches.map((batch) => batch.length)).toEqual([1, 64]);
    endNext();
    await eventually(() => expect(batches).toHaveLength(3));
    endNext();
    expect((await Promise.all(others)).at(-1)).toBe('row 100');
    expect(batches.map((batch) => batch.length)).toEqual([1, 64, 36]);
  });

  it('waits for more after a statement that was not for a single row', async () => {
    const { batches, write, endNext } = aHeldWrite();
    const batcher = new Batcher<number, string>(write);
    const pair = [batcher.add(1), batcher.add(2)];
    await turn();
    const next = batcher.add(3);
    endNext();
    await Promise.all(pair);
    const late = batcher.add(4);
    await eventually(() =>
      expect(batches).toEqual([
        [1, 2],
        [3, 4],
      ]),
    );
    endNext();
    await expect(Promise.all([next, late])).resolves.toEqual(['row 3', 'row 4']);
  });

  it('does not wait after a single row', async () => {
    const { batches, write, endNext } = aHeldWrite();
    const batcher = new Batcher<number, string>(write);
    const first = batcher.add(1);
    await turn();
    const next = batcher.add(2);
    endNext();
    await first;
    await turn();
    expect(batches).toEqual([[1], [2]]);
    endNext();
    await next;
  });

  it('refuses those who waited for a statement that hung, and writes what comes later', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    try {
      const batches: number[][] = [];
      let hang: ((error: Error) => void) | undefined;
      const batcher = new Batcher<number, string>(async (items) => {
        batches.push(items);
        if (items.includes(0)) await new Promise((_, reject) => (hang = reject));
        return items.map((item) => `row ${item}`);
      });
      const early = [batcher.add(0)];
      await turn();
      early.push(batcher.add(1), batcher.add(2));
      jest.advanceTimersByTime(2_700);
      hang!(new Error('no answer'));
      for (const waiting of early) await expect(waiting).rejects.toThrow('no answer');
      expect(await batcher.add(3)).toBe('row 3');
      expect(batches).toEqual([[0], [3]]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('begins again after it was empty', async () => {
    const batches: number[][] = [];
    const batcher = new Batcher<number, string>(failingOn(-1, '', batches));
    await batcher.add(1);
    await batcher.add(2);
    expect(batches).toEqual([[1], [2]]);
  });

  it.each([
    ['22P02', 'a value'],
    ['23505', 'a constraint'],
    ['40P01', 'a deadlock'],
  ])('writes the rows singly when the batch fails with %s (%s)', async (code) => {
    const batches: number[][] = [];
    const batcher = new Batcher<number, string>(failingOn(2, code, batches));
    const results = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(batches).toEqual([[1, 2, 3], [1], [2], [3]]);
  });

  it.each(['57P01', '08006', '55P03', undefined as unknown as string])('fails as a whole with %s', async (code) => {
    const batches: number[][] = [];
    const batcher = new Batcher<number, string>(failingOn(2, code, batches));
    const results = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(batches).toEqual([[1, 2, 3]]);
    await expect(batcher.add(4)).resolves.toBe('row 4');
  });
});
