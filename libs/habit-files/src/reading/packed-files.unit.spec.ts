import { gzipSync } from 'node:zlib';
import { read, refusalOf } from '../read.fixture';
import { zipOf } from '../loop/loop-files.fixture';

const ONE_JSON = JSON.stringify({
  habits: [{ name: 'Run', logs: [{ localDate: '2026-01-05', status: 'COMPLETED' }] }],
});

it('a zip of one JSON is read, whatever an archiver adds for itself', async () => {
  const zip = zipOf({ 'evenkeel-habits.json': ONE_JSON, '__MACOSX/._evenkeel-habits.json': 'x', 'read me.txt': 'x' });
  const notes = ['Files of the zip that were not read: read me.txt.'];
  expect(await read(zip)).toEqual({ ...(await read(ONE_JSON)), notes });
});

it('a second file of one path is named as not read', async () => {
  const zip = zipOf({ 'data/habits.json': ONE_JSON, 'data\\habits.json': ONE_JSON.replace('Run', 'Read') });
  const { habits, notes } = await read(zip);
  expect(habits.map(({ name }) => name)).toEqual(['Run']);
  expect(notes).toEqual(['Files of the zip that were not read: data/habits.json.']);
});

const understated = () => {
  const bytes = zipOf({ 'Habits.csv': Buffer.alloc(105 * 1024 * 1024, '0') });
  new DataView(bytes.buffer).setUint32(22, 10, true);
  return bytes;
};
const gzipOfFour = () => [1, 2, 3].reduce((packed) => gzipSync(packed), gzipSync(ONE_JSON));
const manyFiles = () => zipOf(Object.fromEntries(Array.from({ length: 2_100 }, (_, i) => [`${i}.csv`, ''])));

it.each<[string, () => Uint8Array, string]>([
  ['a gzip cut short', () => gzipSync(ONE_JSON).subarray(0, 30), 'gzip_broken'],
  ['a gzip of nothing', () => gzipSync(''), 'file_empty'],
  ['a gzip of more than 100 MiB', () => gzipSync(Buffer.alloc(105 * 1024 * 1024, '[')), 'unpacked_too_large'],
  ['a gzip of four gzips', gzipOfFour, 'packed more than 3 times'],
  ['a zip of empty lines', () => zipOf({ 'Habits.csv': Buffer.alloc(30 * 1024 * 1024, '\n') }), 'too_many_rows'],
  ['a zip that understates its sizes', understated, 'unpacked_too_large: The zip unpacks to more than 100 MiB.'],
  ['a zip of two JSON', () => zipOf({ 'a.json': ONE_JSON, 'b.json': ONE_JSON }), 'zip_without_habits'],
  ['a zip of something else', () => zipOf({ 'a.txt': 'b' }), 'zip_without_habits'],
  ['a zip of nothing', () => zipOf({}), 'zip_without_habits'],
  ['a zip of a broken zip', () => zipOf({ 'Habits.zip': 'PK\x03\x04' }), 'zip_broken'],
  ['a cut zip', () => zipOf({ 'Habits.csv': 'x'.repeat(9_999) }).subarray(0, 40), 'zip_broken: The zip is cut short'],
  ['a zip of very many files', manyFiles, '2,000'],
])('%s ends in a sentence', async (_, make, sentence) => {
  expect(await refusalOf(make())).toContain(sentence);
});
