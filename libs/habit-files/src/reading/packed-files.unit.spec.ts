import { gzipSync } from 'node:zlib';
import { read, refusalOf } from '../read.fixture';
import { zipOf } from '../loop/loop-files.fixture';

const JSON_OF_ONE = JSON.stringify({
  habits: [{ name: 'Run', logs: [{ localDate: '2026-01-05', status: 'COMPLETED' }] }],
});

describe('a gzip', () => {
  it.each<[string, () => Uint8Array, string]>([
    ['cut short', () => gzipSync(JSON_OF_ONE).subarray(0, 30), 'gzip_broken'],
    ['of nothing', () => gzipSync(''), 'file_empty'],
    ['of more than 100 MiB', () => gzipSync(Buffer.alloc(105 * 1024 * 1024, '[')), 'unpacked_too_large'],
    [
      'of four gzips',
      () => [1, 2, 3].reduce((packed) => gzipSync(packed), gzipSync(JSON_OF_ONE)),
      'packed more than 3 times',
    ],
  ])('%s ends in a sentence', async (_, make, sentence) => {
    expect(await refusalOf(make())).toContain(sentence);
  });
});

describe('a zip', () => {
  it('of one JSON is read, whatever an archiver adds for itself', async () => {
    const zip = zipOf({
      'evenkeel-habits.json': JSON_OF_ONE,
      '__MACOSX/._evenkeel-habits.json': 'x',
      'read me.txt': 'x',
    });
    const notes = ['Files of the zip that were not read: read me.txt.'];
    expect(await read(zip)).toEqual({ ...(await read(JSON_OF_ONE)), notes });
    expect(await refusalOf(zipOf({ 'a.json': JSON_OF_ONE, 'b.json': JSON_OF_ONE }))).toContain('zip_without_habits');
  });

  const understated = () => {
    const bytes = zipOf({ 'Habits.csv': Buffer.alloc(105 * 1024 * 1024, '0') });
    new DataView(bytes.buffer).setUint32(22, 10, true);
    return bytes;
  };

  const linesOf = (line: string) => zipOf({ 'Habits.csv': Buffer.alloc(30 * 1024 * 1024, line) });

  it.each<[string, () => Uint8Array, string]>([
    ['of empty lines', () => linesOf('\n'), 'too_many_rows'],
    ['that understates its sizes', understated, 'unpacked_too_large: The zip unpacks to more than 100 MiB.'],
    ['of something else', () => zipOf({ 'a.txt': 'b' }), 'zip_without_habits'],
    ['of nothing', () => zipOf({}), 'zip_without_habits'],
    ['of a broken zip', () => zipOf({ 'Habits.zip': 'PK\x03\x04' }), 'zip_broken'],
    ['cut short', () => zipOf({ 'Habits.csv': 'x'.repeat(9_999) }).subarray(0, 40), 'zip_broken: The zip is cut short'],
    [
      'of very many files',
      () => zipOf(Object.fromEntries(Array.from({ length: 2_100 }, (_, i) => [`${i}.csv`, '']))),
      '2,000',
    ],
  ])('%s ends in a sentence', async (_, make, sentence) => {
    expect(await refusalOf(make())).toContain(sentence);
  });
});
