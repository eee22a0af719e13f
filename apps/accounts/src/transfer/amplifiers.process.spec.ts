import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { audit } from '@evenkeel/ops/audit';
import { loopDatabase, zipOf } from '@evenkeel/habit-files/testing';
import { eventually } from '@evenkeel/platform/testing';
import { Accounts, type Person } from '../accounts.fixture';
import { withLogs } from '../account/account.fixture';
import { fileTransfer } from './transfer.fixture';

jest.setTimeout(600_000);

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());
afterEach(async () => expect(await audit(accounts.database.dataSource)).toEqual([]));

const { imported, rowsOf } = fileTransfer(() => accounts);

const MILLION = 1_000_000;
const MEBIBYTE = 1024 * 1024;
/** For an answer: the machine may be busy. */
const PATIENCE_MS = 300_000;

const packed = (...parts: (string | Buffer)[]): Buffer =>
  gzipSync(Buffer.concat(parts.map((part) => Buffer.from(part as string))), { level: 1 });
const repeated = (text: string, times: number): Buffer => Buffer.alloc(text.length * times, text);
const inLogs = (text: string, times: number): Buffer =>
  packed('{"habits":[{"name":"xx","logs":[', repeated(`${text},`, times), `${text}]}]}`);
const keys = (count: number): string => Array.from({ length: count }, (_, at) => `"k${at}":1`).join();
const LOOP_LIST = 'Name,FrequencyNumerator,FrequencyDenominator\nRun,1,1\n';

/** A database of empty pages, the first of which names itself as the one that comes next. */
async function sparseDatabase(): Promise<Buffer> {
  const database = Buffer.concat([await loopDatabase(25), Buffer.alloc(9 * MEBIBYTE)]);
  database.set([0x05, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 100);
  return database;
}

/** Files of a few kilobytes, most of them, that become hundreds of megabytes in a reader that believes them. */
const AMPLIFIERS: readonly [string, () => Buffer | Promise<Buffer>][] = [
  ['numbers in a list of logs', () => inLogs('1', 20 * MILLION)],
  ['texts in a list of logs', () => inLogs('""', 20 * MILLION)],
  ['objects in a list of logs', () => inLogs('{}', 20 * MILLION)],
  ['lists in a list of logs', () => inLogs('[]', 20 * MILLION)],
  [
    'a long list in a member that is not read',
    () => packed('{"other":[', repeated('1,', 20 * MILLION), '1],"habits":[]}'),
  ],
  ['habits that are numbers', () => packed('{"habits":[', repeated('1,', 20 * MILLION), '1]}')],
  ['habits without end', () => packed('{"habits":[', repeated('{"name":"ab"},', MILLION), '{}]}')],
  ['keys of a habit', () => packed(`{"habits":[{"name":"xx",${keys(MILLION)}}]}`)],
  ['depth', () => packed(repeated('[', 20 * MILLION))],
  ['one text in place of the habits', () => packed('{"habits":"', repeated('a', 90 * MILLION), '"}')],
  ['a text that breaks off', () => packed('{"habits":[{"name":"€', repeated('a', 90 * MILLION))],
  ['a table with one cell of 100 MB', () => packed('habit,date,value\n"', repeated('a', 100 * MILLION), '"\n')],
  ['a table of empty lines', () => packed('habit,date,value\n', repeated('\n', 100 * MILLION))],
  ['a table of commas', () => packed('habit,date,value\n', repeated(',', 100 * MILLION))],
  ['a table of habits', () => Buffer.from(`habit,date,value\n${rows(400_000)}`)],
  ['a gzip of more than 100 MiB', () => packed(Buffer.alloc(105 * MEBIBYTE, '['))],
  ['a gzip of gzips', () => packed(packed(packed(Buffer.alloc(100 * MEBIBYTE))))],
  ['a zip with more than 100 MiB', () => zip({ '1 Run/Checkmarks.csv': Buffer.alloc(105 * MEBIBYTE, '\n') })],
  ['zips in zips', () => zipped({ 'a.zip': zipped({ 'b.zip': zipped({ 'c.zip': Buffer.alloc(50 * MEBIBYTE) }) }) })],
  [
    'a zip of thousands of files',
    () => zip(Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`${at}.csv`, '']))),
  ],
  ['sparse pages of a database', sparseDatabase],
];

const zipped = (files: Record<string, string | Buffer>): Buffer => Buffer.from(zipOf(files as Record<string, string>));
const zip = (files: Record<string, string | Buffer>): Buffer => zipped({ 'Habits.csv': LOOP_LIST, ...files });
const rows = (count: number): string => Array.from({ length: count }, (_, at) => `Habit ${at},2026-01-01,1`).join('\n');

const PATHS = ['/v1/habits', '/v1/auth/me', '/v1/auth/sessions'];

/** Asks as people do until the work is done. @returns how long the slowest answer took */
async function besides<Result>(work: Promise<Result>, { token }: Person, perSecond: number) {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  const asked: Promise<{ status: number; ms: number }>[] = [];
  const ask = async (path: string) => {
    const begunMs = performance.now();
    const { status } = await accounts.ask('GET', path, { token });
    return { status, ms: performance.now() - begunMs };
  };
  while (!isDone) {
    asked.push(ask(PATHS[asked.length % PATHS.length]!));
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 1_000 / perSecond))]);
  }
  const answers = await Promise.all(asked);
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  return { result: await done, slowestMs: Math.max(...answers.map(({ ms }) => ms)) };
}

async function send(
  { token }: Person,
  file: Buffer,
  gone = AbortSignal.timeout(PATIENCE_MS),
): Promise<{ status: number; body: Record<string, unknown> }> {
  const form = new FormData();
  form.append('file', new Blob([file as BlobPart]), 'habits');
  const response = await fetch(`${accounts.running.url}/v1/habits/import`, {
    ...{ method: 'POST', headers: { authorization: `Bearer ${token}` }, body: form },
    signal: gone,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('a file that costs more than it weighs is refused with a reason, and others are answered meanwhile:', () => {
  it.each(AMPLIFIERS)('%s', async (_, make) => {
    const [person, other] = [await accounts.person(), await accounts.person()];
    const { result } = await besides(send(person, await make()), other, 10);
    expect(result).toEqual({ status: 400, body: { error: expect.any(String), message: expect.any(String) } });
    expect(await rowsOf(person)).toEqual({ habits: 0, logs: 0 });
  });
});

const AT_ONCE = 20;

it('twenty of them at once are refused, or wait, and neither memory nor processes are left', async () => {
  const other = await accounts.person();
  await accounts.ask('POST', '/v1/habits', { token: other.token, body: { name: 'Run' } });
  const people: Person[] = [];
  for (let person = 0; person < AT_ONCE; person++) people.push(await accounts.person());
  const files: Buffer[] = [];
  for (const [, make] of AMPLIFIERS.slice(0, 5)) files.push(await make());
  // Once before: what the first of them loads stays.
  await send(other, files[0]!);
  const before = process.memoryUsage.rss();
  const sent = Promise.all(people.map((person, at) => send(person, files[at % files.length]!)));
  const { result, slowestMs } = await besides(sent, other, AT_ONCE);
  expect(new Set(result.map(({ status }) => status))).toEqual(new Set([400, 429]));
  await eventually(async () => {
    expect(process.memoryUsage.rss()).toBeLessThan(1.2 * before);
    expect(children()).toEqual([]);
  });
  process.stderr.write(`The slowest answer beside twenty files: ${slowestMs.toFixed(0)} ms.\n`);
  expect((await imported(other, 'habit,date,value\nRun,2026-01-05,1\n')).logs.created).toBe(1);
});

/** Commands of the processes that read files now; only Linux names them. */
function children(): string[] {
  if (process.platform !== 'linux') return [];
  const ids = readdirSync('/proc/self/task').flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  );
  return ids.map((id) => readFileSync(`/proc/${id}/cmdline`, 'utf8')).filter((command) => /habit-files/.test(command));
}

/** Only there it is seen when a file is read. */
const onLinux = process.platform === 'linux' ? it : it.skip;

onLinux('an import that nobody waits for any more ends, and leaves nothing', async () => {
  const person = await accounts.person();
  const days = Array.from({ length: 9_000 }, (_, at) => new Date(Date.UTC(2000, 0, 1 + at)).toISOString().slice(0, 10));
  const lines = ['Run', 'Read', 'Swim'].flatMap((name) => days.map((day) => `${name},${day},1`));
  const gone = new AbortController();
  const sent = expect(
    send(person, Buffer.from(`habit,date,value\n${lines.join('\n')}`), gone.signal),
  ).rejects.toThrow();
  await eventually(() => expect(children()).toHaveLength(1));
  gone.abort();
  await sent;
  await eventually(() => expect(children()).toEqual([]));
  expect(await rowsOf(person)).toEqual({ habits: 0, logs: 0 });
  expect((await imported(person, 'habit,date,value\nRun,2026-01-05,1\n')).logs.created).toBe(1);
});

it('uploads of strangers that never end are refused before they fill the memory', async () => {
  const { hostname, port } = new URL(accounts.running.url);
  const head = `POST /v1/habits/import HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${10 * MEBIBYTE}\r\n\r\n`;
  const sockets = Array.from({ length: 8 }, () => connect(Number(port), hostname));
  const answers = sockets.map((socket) => {
    socket.write(`${head}a`);
    return once(socket, 'data').then(([data]) => String(data).split('\r\n')[0]!);
  });
  const refused = new Set<number>();
  answers.forEach((answer, at) => void answer.then(() => refused.add(at)).catch(() => undefined));
  await eventually(() => expect(refused.size).toBe(4));
  expect(await Promise.all([...refused].map((at) => answers[at]!))).toEqual(
    Array(4).fill('HTTP/1.1 429 Too Many Requests'),
  );
  for (const socket of sockets) socket.destroy();
  const person = await accounts.person();
  await eventually(async () => expect((await send(person, Buffer.alloc(5 * MEBIBYTE, 'a'))).status).toBe(400));
});

it('an export of 90,000 notes of 1,024 characters is sent some at a time, and one too large for a tracker is refused', async () => {
  const person = await accounts.person();
  await withLogs(accounts, person, 90_000, 1_024);
  for (const format of ['json', 'csv']) {
    const response = await fetch(`${accounts.running.url}/v1/habits/export?format=${format}`, {
      ...{ headers: { authorization: `Bearer ${person.token}` }, signal: AbortSignal.timeout(PATIENCE_MS) },
    });
    expect(response.status).toBe(200);
    let bytes = 0;
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) bytes += part.length;
    expect(bytes).toBeGreaterThan(90_000 * 1_024);
  }
  const refused = await fetch(`${accounts.running.url}/v1/habits/export?format=loop`, {
    ...{ headers: { authorization: `Bearer ${person.token}` }, signal: AbortSignal.timeout(PATIENCE_MS) },
  });
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: 'file_too_large' }]);
});
