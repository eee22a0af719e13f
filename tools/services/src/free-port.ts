import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** A port of 127.0.0.1 that no server listens on at this moment. */
export async function freePort(): Promise<number> {
  return (await probe(0))!;
}

/**
 * The same for a server that is stopped and started again: below the range that the system takes for outgoing
 * connections, one of which could else sit on the port meanwhile (a client that tries it again and again even meets
 * itself one day).
 */
export async function steadyPort(): Promise<number> {
  for (;;) {
    const port = await probe(randomInt(20_000, 32_000));
    if (port !== undefined) return port;
  }
}

async function probe(wanted: number): Promise<number | undefined> {
  const server = createServer().listen(wanted, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
