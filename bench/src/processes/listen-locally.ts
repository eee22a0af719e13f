import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves on a free port of this machine. */
export async function listenLocally(handle: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, server };
}

/** Tells the process that started this one. */
export function announce(url: string): void {
  process.stdout.write(`${JSON.stringify({ ready: true, url })}\n`);
}
