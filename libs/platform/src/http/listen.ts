import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A listener could not be opened; the message is for the person who started the process. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen';
}

/**
 * Opens a listener.
 * @param host every address of the machine when left out
 * @param variable name of the setting that holds the port, for the refusal
 * @returns the address with the port it really has
 * @throws CannotListen when the port is taken or not allowed
 */
export async function listen(
  server: Server,
  { port, host, variable }: { port: number; host?: string; variable: string },
): Promise<string> {
  server.listen({ port, host });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw refusal(error as NodeJS.ErrnoException, port, host ?? 'this machine', variable);
  }
  return urlOf(server.address() as AddressInfo);
}

function refusal(error: NodeJS.ErrnoException, port: number, host: string, variable: string): CannotListen {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is taken by another process. Stop it or set ${variable} to a free port.`,
    EACCES: `This user may not listen on port ${port}. Set ${variable} to a port above 1023.`,
    EADDRNOTAVAIL: `This machine has no address ${host}.`,
  };
  return new CannotListen(reasons[error.code ?? ''] ?? `Cannot listen on ${host}:${port}.`, { cause: error });
}

/** A wildcard is no address to call: the same machine answers on the loopback. */
function urlOf({ address, port, family }: AddressInfo): string {
  if (address === '::' || address === '0.0.0.0') return `http://localhost:${port}`;
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}
