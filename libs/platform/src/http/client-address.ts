import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

const MAPPED_IPV4 = '::ffff:';

/** Address of the caller as the farthest trusted proxy saw it; IPv4 also where the socket speaks IPv6. */
export function clientAddress(request: FastifyRequest): string {
  const claimed = request.ip;
  const address = claimed && isIP(claimed) !== 0 ? claimed : (request.raw.socket.remoteAddress ?? '');
  return address.startsWith(MAPPED_IPV4) ? address.slice(MAPPED_IPV4.length) : address;
}

/** The network of an address, as logs may keep it: /24 or /48. */
export function networkOf(address: string): string {
  if (isIP(address) === 4) return `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
  if (isIP(address) !== 6) return 'unknown';
  const [head = '', tail = ''] = address.split('::');
  const groups = head.split(':').filter(Boolean);
  const missing = 8 - groups.length - tail.split(':').filter(Boolean).length;
  const full = [...groups, ...Array<string>(Math.max(0, missing)).fill('0'), ...tail.split(':')];
  return `${full.slice(0, 3).join(':')}::/48`;
}
