import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 10_000;
const LINES_KEPT = 20;

/**
 * Standard input is a pipe from us that is never written to: it ends when we end, however we end, and then the server is
 * asked to stop. The watcher is no child of the server, which would take its end for the crash of a child of its own.
 * A server that has ended before us may be started again: its folder stays.
 */
const WITH_WATCHER = `
  signal="$1" removed="$2"
  shift 2
  exec 3<&0
  (
    (
      read -r _ <&3
      kill -s "$signal" $$ || exit
      [ -z "$removed" ] && exit
      while kill -0 $$; do sleep 0.1; done
      rm -rf "$removed"
    ) >/dev/null 2>&1 &
  )
  exec "$0" "$@" 3<&- </dev/null 2>&1`;

type Child = ChildProcessByStdio<Writable, Readable, null>;

export interface ServerCommand {
  program: string;
  args: readonly string[];
  /** Default: our own. */
  user?: { uid?: number; gid?: number };
  /** Part of the line it writes when it takes requests. */
  readyLine: string;
  /** The signal that stops it, and the one after 10 s. */
  stopSignal: 'SIGINT' | 'SIGKILL';
  forceSignal: 'SIGQUIT' | 'SIGKILL';
  /** Takes each line that it writes. */
  onLine?: ((line: string) => void) | undefined;
  /** Folder to remove when we did not live to do it. */
  removeAfterwards?: string | undefined;
}

export interface ServerProcess {
  signal: (signal: NodeJS.Signals) => void;
  /** Asks the server to stop, forces it after 10 s, and resolves when it is gone. */
  stop: (signal?: NodeJS.Signals) => Promise<void>;
}

/** It never came up; `lines` are the last it wrote. */
export class ServerDidNotStart extends Error {
  constructor(readonly lines: readonly string[]) {
    super(lines.filter((line) => /FATAL|ERROR|PANIC/.test(line)).at(-1) ?? lines.at(-1) ?? 'it gave no reason');
  }
}

/** Runs a server beside us: out of reach of the terminal's Ctrl-C, so that we can finish first, and never longer than us. */
export async function startServer(command: ServerCommand): Promise<ServerProcess> {
  const { program, args, user, stopSignal, forceSignal, removeAfterwards = '' } = command;
  const watched = [program, stopSignal.replace('SIG', ''), removeAfterwards, ...args];
  const child: Child = spawn('sh', ['-c', WITH_WATCHER, ...watched], {
    ...user,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  const stop = async (signal: NodeJS.Signals = stopSignal): Promise<void> => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    setReferenced(child, true);
    const gone = once(child, 'exit');
    child.kill(signal);
    const forced = setTimeout(() => child.kill(forceSignal), STOP_LIMIT_MS);
    await gone;
    clearTimeout(forced);
  };
  try {
    await untilReady(child, command);
  } catch (error) {
    await stop();
    throw error;
  }
  // The process may end without stopping the server: the watcher does it then.
  setReferenced(child, false);
  return { signal: (signal) => child.kill(signal), stop };
}

async function untilReady(child: Child, { readyLine, onLine }: ServerCommand): Promise<void> {
  const lines: string[] = [];
  const limit = AbortSignal.timeout(START_LIMIT_MS);
  await new Promise<void>((resolve, reject) => {
    const fail = (): void => reject(new ServerDidNotStart(lines));
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (lines.push(line) > LINES_KEPT) lines.shift();
      onLine?.(line);
      if (line.includes(readyLine)) resolve();
    });
    child.once('error', reject).once('close', fail);
    limit.addEventListener('abort', fail);
  });
}

function setReferenced(child: Child, referenced: boolean): void {
  const handles = [child, child.stdin, child.stdout] as unknown as { ref(): void; unref(): void }[];
  for (const handle of handles) {
    if (referenced) handle.ref();
    else handle.unref();
  }
}
