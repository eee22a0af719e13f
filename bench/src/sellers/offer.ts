import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CHAINS, PAID_ENDPOINTS } from '@evenkeel/contracts';

const endpoint = PAID_ENDPOINTS.find(({ operation }) => operation === 'analyze')!;

/** The call that every seller sells, at the same price, in the same words. */
export const OFFER = {
  path: endpoint.path,
  description: endpoint.headerDescription,
  mimeType: 'application/json',
  price: `$${endpoint.priceMicros / 1_000_000}`,
  network: CHAINS[0]!.caip2 as `eip155:${string}`,
  payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  maxTimeoutSeconds: 300,
} as const;

/** Serves on a free port of this machine, and writes the line that the run waits for. */
export async function listenLocally(handle: RequestListener): Promise<void> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ ready: true, url: `http://127.0.0.1:${port}` })}\n`);
}
