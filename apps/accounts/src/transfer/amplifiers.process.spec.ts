import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { audit } from '@evenkeel/ops/audit';
import { AMPLIFIERS } from '@evenkeel/habit-files/testing';
import { eventually } from '@evenkeel/platform/testing';
import { Accounts, type Person } from '../accounts.fixture';
import { withLogs } from '../account/account.fixture';
import { fileTransfer } from './transfer.fixture';

jest.setTimeout(600_000);

const accounts = Accounts.forSuite();
afterEach(async () => expect(await audit(accounts.database.dataSource)).toEqual([]));

const { imported, rowsOf } = fileTransfer(() => accounts);

const MEBIBYTE = 1024 * 1024;
/** For an answer: the machine may be busy. */
const PATIENCE_MS = 300_000;
/** The memory of a process that reads a file, outside of its heap too. */
const MOST_MEBIBYTES = 700;

const MEMORY = 'took_too_much_memory';

const PATHS = ['/v1/habits', '/v1/auth/me', '/v1/auth/sessions'];

/** Asks as people do until the work is done. @returns how long the slowest answer took, and the memory of what read files */
async function besides<Result>(work: Promise<Result>, { token }: Person, perSecond: number) {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  const asked: Promise<{ status: number; ms: number }>[] = [];
  let peakMebibytes = 0;
  const ask = async (path: string) => {
    const begunMs = performance.now();
    const { status } = await accounts.ask('GET', path, { token });
    return { status, ms: performance.now() - begunMs };
  };
  while (!isDone) {
    asked.push(ask(PATHS[asked.length % PATHS.length]!));
    peakMebibytes = Math.max(peakMebibytes, ...readers().map(({ peak }) => peak));
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 1_000 / perSecond))]);
  }
  const answers = await Promise.all(asked);
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  return { result: await done, slowestMs: Math.max(...answers.map(({ ms }) => ms)), peakMebibytes };
}

async function send({ token }: Person, file: Buffer, signal = AbortSignal.timeout(PATIENCE_MS)) {
  const body = new FormData();
  body.append('file', new Blob([file as BlobPart]), 'habits');
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${accounts.running.url}/v1/habits/import`, { method: 'POST', headers, body, signal });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

it.each(AMPLIFIERS)('%s is refused with a reason (%s), others are answered meanwhile', async (name, error, make) => {
  const [person, other] = [await accounts.person(), await accounts.person()];
  const { result, slowestMs, peakMebibytes } = await besides(send(person, await make()), other, 10);
  process.stderr.write(`${name}: ${peakMebibytes.toFixed(0)} MiB, ${slowestMs.toFixed(0)} ms beside it.\n`);
  // Which of the two limits ends a file that fills the memory depends on how busy the machine is.
  const limit = expect.stringMatching(/^took_too_(much_memory|long)$/) as string;
  const refused = error === MEMORY ? limit : error;
  expect(result).toEqual({ status: 400, body: { error: refused, message: expect.any(String) } });
  expect(await rowsOf(person)).toEqual({ habits: 0, logs: 0 });
  expect(peakMebibytes).toBeLessThan(MOST_MEBIBYTES);
});

/** The processes that read files now, and the most memory that each has had; only Linux names them. */
function readers(): { command: string; peak: number }[] {
  if (process.platform !== 'linux') return [];
  const ids = readdirSync('/proc/self/task').flatMap((task) => wordsIn(`/proc/self/task/${task}/children`));
  return ids.flatMap((id) => {
    const command = wordsIn(`/proc/${id}/cmdline`).join(' ');
    const [, kibibytes = '0'] = /VmHWM:\s+(\d+)/.exec(wordsIn(`/proc/${id}/status`).join(' ')) ?? [];
    return /habit-files/.test(command) ? [{ command, peak: Number(kibibytes) / 1024 }] : [];
  });
}

/** None of a process that has ended. */
function wordsIn(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split(/[\s\0]+/)
      .filter(Boolean);
  } catch {
    return [];
  }
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
  await eventually(() => expect(readers()).toHaveLength(1));
  gone.abort();
  await sent;
  await eventually(() => expect(readers()).toEqual([]));
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
  const exported = (format: string) =>
    fetch(`${accounts.running.url}/v1/habits/export?format=${format}`, {
      headers: { authorization: `Bearer ${person.token}` },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  for (const format of ['json', 'csv']) {
    let bytes = 0;
    for await (const part of (await exported(format)).body as unknown as AsyncIterable<Uint8Array>)
      bytes += part.length;
    expect(bytes).toBeGreaterThan(90_000 * 1_024);
  }
  const refused = await exported('loop');
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: 'file_too_large' }]);
});
