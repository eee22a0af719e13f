import { Random } from '@evenkeel/kernel/random';
import { UnreadableFile } from '../index';
import { habitsIn, read, refusalOf } from '../read.fixture';
import { loopDatabase } from './loop-files.fixture';

const PAGE = 4_096;
/** The page on which the entries lie. */
const ENTRIES = 3;
const BROKEN = 'database_broken: The database cannot be read';

/** A database with its pages written over, by number from 1. */
async function withPages(pages: Readonly<Record<number, (page: DataView) => void>>): Promise<Uint8Array> {
  const bytes = Uint8Array.from(await loopDatabase(25));
  for (const [page, write] of Object.entries(pages)) {
    write(new DataView(bytes.buffer, (Number(page) - 1) * PAGE, PAGE));
  }
  return bytes;
}

/** Writes a page that holds nothing but ways to other pages. */
function interior(children: readonly number[]): (page: DataView) => void {
  return (page) => {
    page.setUint8(0, 0x05);
    page.setUint16(3, children.length - 1);
    page.setUint32(8, children.at(-1)!);
    children.slice(0, -1).forEach((child, at) => {
      const place = PAGE - 8 * (at + 1);
      page.setUint16(12 + 2 * at, place);
      page.setUint32(place, child);
      page.setUint8(place + 4, at + 1);
    });
  };
}

it.each([
  ['cut short', async () => (await loopDatabase(25)).subarray(0, 5_000)],
  ['of its first bytes alone', async () => (await loopDatabase(25)).subarray(0, 20)],
  ['of noise', async () => (await loopDatabase(25)).map((byte, at) => (at < 100 ? byte : (byte * 31 + at * 7) & 0xff))],
  ['whose table leads to itself', async () => withPages({ [ENTRIES]: interior([3, 3, 3, 3]) })],
  ['whose pages are many times there', async () => withPages({ [ENTRIES]: interior(Array<number>(400).fill(2)) })],
  ['whose schema leads to itself', async () => withPages({ 1: (page) => page.setUint8(100, 0x05) })],
  ['whose row is long', async () => withPages({ [ENTRIES]: (page) => page.setUint32(page.getUint16(8), 0xffffff7f) })],
])('a database %s ends in a sentence', async (_, make) => {
  expect(await refusalOf(await make())).toContain(BROKEN);
});

it('a database with a broken index is read by its table', async () => {
  const bytes = Buffer.from(await loopDatabase(25));
  const whole = await habitsIn(bytes);
  const zeroed: number[] = [];
  for (let page = 2; page * PAGE <= bytes.length; page++) {
    if (bytes[(page - 1) * PAGE] !== 0x0a) continue;
    zeroed.push(page);
    bytes.fill(0, (page - 1) * PAGE, page * PAGE);
  }
  expect(zeroed).not.toEqual([]);
  expect(await habitsIn(bytes)).toEqual(whole);
});

it('whatever is broken is refused or read, and the next one is read all the same', async () => {
  const random = new Random(7);
  const sound = await loopDatabase(25);
  const whole = await read(sound);
  let refused = 0;
  for (let round = 0; round < sized(120, 5_000); round++) {
    const bytes = Uint8Array.from(sound);
    for (let left = 1 + random.below(20); left > 0; left--) {
      const at = 16 + random.below(bytes.length - 16);
      // Where something is written, rather than in the empty middle of a page.
      const used = bytes[at] !== 0 || random.below(10) === 0 ? at : at - (at % PAGE) + random.below(40);
      bytes[used] = random.below(256);
    }
    try {
      await read(bytes.subarray(0, random.below(5) === 0 ? random.below(bytes.length) : bytes.length));
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(sized(20, 50));
  expect(await read(sound)).toEqual(whole);
});
