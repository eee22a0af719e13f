import type { RunningPostgres } from '../start-postgres';

/** Jest compiles set-up and teardown apart from each other: they meet in the process, not in a module. */
const holder = process as typeof process & { evenkeelTestServer?: RunningPostgres };

export function holdServer(server: RunningPostgres): void {
  holder.evenkeelTestServer = server;
}

export function takeServer(): RunningPostgres | undefined {
  return holder.evenkeelTestServer;
}
