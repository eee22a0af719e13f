import { eventually } from '../testing';
import { BatchedReads } from './batched-reads';

/** A statement that ends when the test says so; there is nothing for keys that begin with "no". */
function aHeldRead(patienceMs = 60_000) {
  const statements: string[][] = [];
  const held: { end: () => void; fail: (error: Error) => void }[] = [];
  const read = async (keys: string[]): Promise<ReadonlyMap<string, string>> => {
    statements.push(keys);
    await new Promise<void>((end, fail) => held.push({ end, fail }));
    return new Map(keys.filter((key) => !key.startsWith('no')).map((key) => [key, `row of ${key}`]));
  };
  return { statements, reads: new BatchedReads(read, patienceMs), next: () => held.shift()! };
}

/** Node runs what waits for promises behind the callback of each request, many of them in one turn. */
const callbackOfARequest = () => new Promise((resolve) => process.nextTick(resolve));
const turn = () => new Promise((resolve) => setImmediate(resolve));

it('reads together what is asked in one turn, each key once, and gives each reader its own', async () => {
  const { statements, reads, next } = aHeldRead();
  const asked = [reads.find('a'), reads.find('b', 'nothing'), reads.find('a')];
  await eventually(() => expect(statements).toEqual([['a', 'b', 'nothing']]));
  next().end();
  expect(await Promise.all(asked)).toEqual([['row of a'], ['row of b', undefined], ['row of a']]);
});

it('reads together what comes turn after turn, until a turn brings nothing or eight have come', async () => {
  const { statements, reads, next } = aHeldRead();
  const asked: Promise<unknown>[] = [];
  for (const key of 'abcdefghijkl') {
    asked.push(reads.find(key));
    await turn();
  }
  const first = [...'abcdefgh'];
  expect(statements).toEqual([first]);
  await eventually(() => expect(statements).toEqual([first, ['i', 'j', 'k', 'l']]));
  for (const { end } of [next(), next()]) end();
  await Promise.all(asked);
});

it('sends eight at once, before the turn is over, and all that have gathered when a statement ends', async () => {
  const { statements, reads, next } = aHeldRead();
  const asked: Promise<unknown>[] = [];
  const ask = async (count: number): Promise<void> => {
    for (let more = 0; more < count; more++) {
      asked.push(reads.find(`row ${asked.length}`));
      await callbackOfARequest();
    }
  };
  await ask(7);
  expect(statements).toEqual([]);
  await ask(1 + 8 + 11);
  const lengths = () => statements.map(({ length }) => length);
  expect(lengths()).toEqual([8, 8]);
  next().end();
  await eventually(() => expect(lengths()).toEqual([8, 8, 11]));
  for (const { end } of [next(), next()]) end();
  await Promise.all(asked);
});

it('gathers while two statements run: what is asked meanwhile is never answered by them', async () => {
  const { statements, reads, next } = aHeldRead();
  const first = reads.find('a');
  await eventually(() => expect(statements).toHaveLength(1));
  const second = reads.find('b');
  await eventually(() => expect(statements).toHaveLength(2));
  const later = [reads.find('a'), reads.find('b')];
  for (let turns = 0; turns < 20; turns++) await turn();
  const latest = reads.find('c');
  expect(statements).toHaveLength(2);
  next().end();
  await first;
  await eventually(() => expect(statements).toEqual([['a'], ['b'], ['a', 'b', 'c']]));
  for (const { end } of [next(), next()]) end();
  await second;
  expect(await Promise.all([...later, latest])).toEqual([['row of a'], ['row of b'], ['row of c']]);
});

it('does not wait for a statement that hangs, and fails its readers alone', async () => {
  const { statements, reads, next } = aHeldRead(1);
  const hanging: Promise<unknown>[] = [];
  for (const count of [1, 2]) {
    hanging.push(reads.find('a'));
    await eventually(() => expect(statements).toHaveLength(count));
  }
  const other = reads.find('b');
  await eventually(() => expect(statements).toHaveLength(3));
  const hung = [next(), next()];
  next().end();
  expect(await other).toEqual(['row of b']);
  for (const { fail } of hung) fail(new Error('no answer'));
  for (const read of hanging) await expect(read).rejects.toThrow('no answer');
  const again = reads.find('a');
  await eventually(() => expect(statements).toHaveLength(4));
  next().end();
  expect(await again).toEqual(['row of a']);
});
