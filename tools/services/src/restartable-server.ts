import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CannotStartService } from './ensure-program';
import { startServer, type ServerCommand, type ServerProcess } from './server-process';

/** A server with a temporary folder that a test may kill, freeze and start again. Gone when its starter is gone. */
export interface RestartableServer extends AsyncDisposable {
  /** Ends the process at once, or in order with SIGTERM. Port and data stay. */
  kill: (signal?: 'SIGKILL' | 'SIGTERM') => Promise<void>;
  /** Starts it again, after ending it when it still runs: same port, same data. Resolves when it takes requests. */
  restart: () => Promise<void>;
  /** Stops the clock of the process: connections stay open, and nothing answers. */
  freeze: () => void;
  thaw: () => void;
  /** Ends it for good and removes its folder. */
  stop: () => Promise<void>;
}

/**
 * @param name of the server, for people
 * @param commandIn how it is started with a folder of its own, which is removed at the end
 * @param answers resolves when it really serves, for a server that says so too early
 * @throws CannotStartService with its reason
 */
export async function startRestartable(
  name: string,
  commandIn: (folder: string) => Pick<ServerCommand, 'program' | 'args' | 'readyLine' | 'onLine'>,
  answers: () => Promise<void> = () => Promise.resolve(),
): Promise<RestartableServer> {
  const folder = mkdtempSync(join(tmpdir(), `evenkeel-${name.toLowerCase()}-`));
  const command = commandIn(folder);
  const start = async (): Promise<ServerProcess> => {
    // Data that an orderly end would save is deleted anyway.
    const quick = { stopSignal: 'SIGKILL', forceSignal: 'SIGKILL', removeAfterwards: folder } as const;
    const started = await startServer({ ...command, ...quick });
    await answers().catch(async (error: unknown) => {
      await started.stop();
      throw error;
    });
    return started;
  };
  const remove = (): void => rmSync(folder, { recursive: true, force: true });

  let server = await start().catch((error: unknown) => {
    remove();
    throw new CannotStartService(`${name} did not start: ${(error as Error).message}.`, { cause: error });
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    remove();
  };
  return {
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
