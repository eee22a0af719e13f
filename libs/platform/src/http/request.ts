import { isIP, SocketAddress } from 'node:net';
import type { IncomingMessage } from 'node:http';
import { randomUUID } from 'node:crypto';

const SLASH = 47;

/**
 * The path a request target is routed by: without query, without the host of an absolute target, decoded. What cannot
 * be decoded stays as it is.
 */
export function pathOf(target: string): string {
  const query = target.indexOf('?');
  let path = query === -1 ? target : target.slice(0, query);
  if (path.charCodeAt(0) !== SLASH && URL.canParse(target)) path = new URL(target).pathname;
  return path.includes('%') ? decoded(path) : path;
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

const ACCEPTED = /^[A-Za-z0-9._-]{8,128}$/;

/** The caller's `X-Request-Id` where it is well formed, else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && ACCEPTED.test(given) ? given : randomUUID();
}

/** As proxies write it: bare, in brackets, with a port, or with the zone of an interface. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/;
const MAPPED_IPV4 = '::ffff:';

/**
 * Address of the caller as the farthest proxy of ours saw it, in its one canonical spelling.
 * @param trustedProxyHops proxies in front that are ours: so many entries of `X-Forwarded-For`, from its end, are true
 * @returns that of the nearest proxy where the entry is no address
 */
export function clientAddress({ headers, socket }: IncomingMessage, trustedProxyHops: number): string {
  const forwarded = trustedProxyHops > 0 ? headers['x-forwarded-for'] : undefined;
  const claimed = forwarded && String(forwarded).split(',').slice(-trustedProxyHops)[0]!.trim();
  return (claimed && canonicalAddress(claimed)) || canonicalAddress(socket.remoteAddress ?? '') || '';
}

/**
 * The one spelling of an address: IPv4 also where IPv6 carries it, IPv6 short and in lower case, without port and zone.
 * @returns null when the text is no address
 */
function canonicalAddress(text: string): string | null {
  const carried = ipv4In(text);
  if (carried !== null) return carried;
  const [, bracketed, bare] = WITH_PORT.exec(text) ?? [];
  const address = (bracketed ?? bare ?? text).split('%')[0]!;
  if (isIP(address) !== 6) return ipv4In(address);
  const short = new SocketAddress({ address, family: 'ipv6' }).address;
  return ipv4In(short) ?? short;
}

/** Plain or mapped, as sockets write it. */
function ipv4In(address: string): string | null {
  const plain = address.startsWith(MAPPED_IPV4) ? address.slice(MAPPED_IPV4.length) : address;
  return isIP(plain) === 4 ? plain : null;
}

/** The network of an address, as logs may keep it: /24 or /48. */
export function networkOf(address: string): string {
  if (isIP(address) === 4) return `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
  if (isIP(address) !== 6) return 'unknown';
  return `${groupsOf(address).slice(0, 3).join(':')}::/48`;
}

/** The caller that a limit knows: an IPv4 address, or the /64 of an IPv6 one, which is what a subscriber has. */
export function callerOf(address: string): string {
  return address.includes(':') && isIP(address) === 6 ? `${groupsOf(address).slice(0, 4).join(':')}::/64` : address;
}

function groupsOf(address: string): string[] {
  const [head = '', tail = ''] = address.split('::');
  const groups = head.split(':').filter(Boolean);
  const missing = 8 - groups.length - tail.split(':').filter(Boolean).length;
  return [...groups, ...Array<string>(Math.max(0, missing)).fill('0'), ...tail.split(':')];
}
