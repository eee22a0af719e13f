import { gzipSync } from 'node:zlib';
import { loopDatabase, zipOf } from './loop/loop-files.fixture';
import type { FileProblem } from './reading/unreadable-file';

const MILLION = 1_000_000;
const MEBIBYTE = 1024 * 1024;
const LOOP_LIST = 'Name,FrequencyNumerator,FrequencyDenominator\nRun,1,1\n';

const packed = (...parts: (string | Buffer)[]): Buffer =>
  gzipSync(Buffer.concat(parts.map((part) => Buffer.from(part as string))), { level: 1 });
const repeated = (text: string, times: number): Buffer => Buffer.alloc(text.length * times, text);
const inLogs = (text: string, times: number): Buffer =>
  packed('{"habits":[{"name":"xx","logs":[', repeated(`${text},`, times), `${text}]}]}`);
const keys = (count: number): string => Array.from({ length: count }, (_, at) => `"k${at}":1`).join();
const rows = (count: number): string => Array.from({ length: count }, (_, at) => `Habit ${at},2026-01-01,1`).join('\n');
const zipped = (files: Record<string, string | Buffer>): Buffer => Buffer.from(zipOf(files));
const zip = (files: Record<string, string | Buffer>): Buffer => zipped({ 'Habits.csv': LOOP_LIST, ...files });

/** A database of empty pages, the first of which names itself as the one that comes next. */
async function sparseDatabase(): Promise<Buffer> {
  const database = Buffer.concat([await loopDatabase(25), Buffer.alloc(9 * MEBIBYTE)]);
  database.set([0x05, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 100);
  return database;
}

/** Members of a gzip follow each other, and are one text. */
function manyTimes(member: Buffer, times: number): Buffer {
  return Buffer.concat(Array.from({ length: times }, () => member));
}

/** Files of a few kilobytes, most of them, that become hundreds of megabytes in a reader that believes them, and how each is refused. */
export const AMPLIFIERS: readonly (readonly [string, FileProblem, () => Buffer | Promise<Buffer>])[] = [
  ['numbers in a list of logs', 'too_many_rows', () => inLogs('1', 20 * MILLION)],
  ['texts in a list of logs', 'too_many_rows', () => inLogs('""', 20 * MILLION)],
  ['objects in a list of logs', 'too_many_rows', () => inLogs('{}', 20 * MILLION)],
  ['lists in a list of logs', 'too_many_rows', () => inLogs('[]', 20 * MILLION)],
  [
    'a long list in a member that is not read',
    'too_many_rows',
    () => packed('{"other":[', repeated('1,', 20 * MILLION), '1],"habits":[]}'),
  ],
  ['habits that are numbers', 'too_many_rows', () => packed('{"habits":[', repeated('1,', 20 * MILLION), '1]}')],
  ['habits without end', 'too_many_rows', () => packed('{"habits":[', repeated('{"name":"ab"},', MILLION), '{}]}')],
  ['keys of a habit', 'took_too_much_memory', () => packed(`{"habits":[{"name":"xx",${keys(MILLION)}}]}`)],
  ['depth', 'json_broken', () => packed(repeated('[', 20 * MILLION))],
  ['a text in place of habits', 'json_without_habits', () => packed('{"habits":"', repeated('a', 90 * MILLION), '"}')],
  ['a text broken off', 'took_too_much_memory', () => packed('{"habits":[{"name":"€', repeated('a', 90 * MILLION))],
  ['a cell of 100 MB', 'file_kind_unknown', () => packed('habit,date,value\n"', repeated('a', 100 * MILLION), '"\n')],
  ['a table of empty lines', 'too_many_rows', () => packed('habit,date,value\n', repeated('\n', 100 * MILLION))],
  ['a table of commas', 'file_kind_unknown', () => packed('habit,date,value\n', repeated(',', 100 * MILLION))],
  ['a table of habits', 'too_many_habits', () => Buffer.from(`habit,date,value\n${rows(400_000)}`)],
  ['a gzip of 105 MiB', 'unpacked_too_large', () => packed(Buffer.alloc(105 * MEBIBYTE, '['))],
  ['a gzip of gzips', 'unpacked_too_large', () => packed(packed(packed(Buffer.alloc(100 * MEBIBYTE))))],
  ['a zip of 105 MiB', 'unpacked_too_large', () => zip({ '1 Run/Checkmarks.csv': Buffer.alloc(105 * MEBIBYTE, '\n') })],
  [
    'zips in zips',
    'file_kind_unknown',
    () => zipped({ 'a.zip': zipped({ 'b.zip': zipped({ 'c.zip': Buffer.alloc(50 * MEBIBYTE) }) }) }),
  ],
  [
    'a zip of thousands of files',
    'unpacked_too_large',
    () => zip(Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`${at}.csv`, '']))),
  ],
  ['sparse pages of a database', 'database_broken', sparseDatabase],
  ['a gzip of 4 GB', 'unpacked_too_large', () => manyTimes(gzipSync(Buffer.alloc(100 * MEBIBYTE)), 40)],
  ['a zip of 500 MiB', 'unpacked_too_large', () => zip({ '1 Run/Checkmarks.csv': Buffer.alloc(500 * MEBIBYTE, '\n') })],
];
