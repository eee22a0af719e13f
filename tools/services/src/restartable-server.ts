import { rmSync } from 'node:fs';
import { startServer, type ServerCommand } from './server-process';

/** A server with a temporary folder that a test may kill, freeze and start again. Gone when its starter is gone. */
export interface RestartableServer extends AsyncDisposable {
  /** Of the process that runs now, or ran last. */
  readonly pid: number;
  /** Ends the process at once, or in order with SIGTERM. Port and data stay. */
  kill(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Starts it again, after ending it when it still runs: same port, same data. Resolves when it takes requests. */
  restart(): Promise<void>;
  /** Stops the clock of the process: connections stay open, and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** Ends it for good and removes its folder. */
  stop(): Promise<void>;
}

export async function startRestartable(
  command: Pick<ServerCommand, 'program' | 'args' | 'readyLine'>,
  folder: string,
): Promise<RestartableServer> {
  // What it would save in an orderly end is thrown away anyway.
  const start = () =>
    startServer({ ...command, stopSignal: 'SIGKILL', forceSignal: 'SIGKILL', removeAfterwards: folder });
  const remove = (): void => rmSync(folder, { recursive: true, force: true });

  let server = await start().catch((error: unknown) => {
    remove();
    throw error;
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    remove();
  };
  return {
    get pid() {
      return server.pid;
    },
    kill: (signal) => server.stop(signal),
    restart: async () => {
      await server.stop();
      server = await start();
    },
    freeze: () => server.signal('SIGSTOP'),
    thaw: () => server.signal('SIGCONT'),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
