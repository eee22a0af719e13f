import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerUser } from './server-user';

const READY = 'database system is ready to accept connections';
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 10_000;
const LINES_KEPT = 20;

/**
 * Standard input is a pipe from us that nobody writes to: it ends when we end, however we end, and then the server is
 * asked to stop. The watcher is no child of the server, which would take its end for the crash of a backend.
 */
const WITH_WATCHER = `
  removed="$1"
  shift
  exec 3<&0
  (
    (
      read -r _ <&3
      kill -INT $$
      [ -z "$removed" ] && exit
      while kill -0 $$; do sleep 0.1; done
      rm -rf "$removed"
    ) >/dev/null 2>&1 &
  )
  exec "$0" "$@" 3<&- </dev/null`;

type Child = ChildProcessByStdio<Writable, null, Readable>;

export interface ServerProcess {
  /** Asks the server to stop, forces it after 10 s, and resolves when it is gone. */
  stop(): Promise<void>;
}

/** It never came up; `lines` are the last it wrote. */
export class ServerDidNotStart extends Error {
  constructor(readonly lines: readonly string[]) {
    super(lines.filter((line) => /FATAL|ERROR|PANIC/.test(line)).at(-1) ?? lines.at(-1) ?? 'it gave no reason');
  }
}

/**
 * Runs a server beside us: out of reach of the terminal's Ctrl-C, so that we can finish first, and never longer than us.
 * @param removeAfterwards folder to remove when we did not live to do it
 */
export async function startServer(
  postgres: string,
  args: readonly string[],
  user: ServerUser,
  removeAfterwards = '',
): Promise<ServerProcess> {
  const child: Child = spawn('sh', ['-c', WITH_WATCHER, postgres, removeAfterwards, ...args], {
    ...user,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  child.stdin.on('error', () => undefined);
  child.once('exit', () => child.stdin.destroy());
  await untilReady(child);
  // Nobody has to stop the server for the process to end: the watcher does it then.
  setReferenced(child, false);
  return { stop: () => stop(child) };
}

async function untilReady(child: Child): Promise<void> {
  const lines: string[] = [];
  const reader = createInterface({ input: child.stderr });
  const ready = new Promise<void>((resolve, reject) => {
    reader.on('line', (line) => {
      if (lines.push(line) > LINES_KEPT) lines.shift();
      if (line.includes(READY)) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new ServerDidNotStart(lines)));
    setTimeout(() => reject(new ServerDidNotStart(lines)), START_LIMIT_MS).unref();
  });
  await ready.catch(async (error: unknown) => {
    await stop(child);
    throw error;
  });
}

async function stop(child: Child): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  setReferenced(child, true);
  const gone = once(child, 'exit');
  child.kill('SIGINT');
  const forced = new AbortController();
  void sleep(STOP_LIMIT_MS, undefined, { signal: forced.signal }).then(
    () => child.kill('SIGQUIT'),
    () => undefined,
  );
  await gone;
  forced.abort();
}

function setReferenced(child: Child, referenced: boolean): void {
  const handles = [child, child.stdin, child.stderr] as unknown as { ref(): void; unref(): void }[];
  for (const handle of handles) {
    if (referenced) handle.ref();
    else handle.unref();
  }
}
