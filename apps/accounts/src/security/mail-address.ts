import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { callerOf, clientAddress, networkOf } from '@evenkeel/platform/http';
import type { FastifyRequest } from 'fastify';

/** Characters that nobody sees, and those that would need quotes. */
const REFUSED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s"(),:;<>[\\\]]/u;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The key of a mail address: the local part in lower case, the host in ASCII. Characters that NFKC changes are
 * refused: in lower case some of them are letters of somebody else's address.
 * @param address without white space around it
 * @returns null for what is no address
 */
export function mailAddressKey(address: string): string | null {
  if (REFUSED.test(address) || address.normalize('NFKC') !== address) return null;
  const [local = '', host = '', ...rest] = address.split('@');
  if (rest.length > 0 || local.split('.').includes('')) return null;
  const labels = hostInAscii(host).split('.');
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label)) || isIP(labels.join('.')) !== 0) return null;
  return `${local.toLowerCase()}@${labels.join('.')}`;
}

/** The same for what somebody typed: no account has what is no address. */
export function triedAddressKey(typed: string): string {
  const address = typed.trim();
  return mailAddressKey(address) ?? address.toLowerCase();
}

/** Empty for no host. Escapes and paths, which belong to addresses of pages, are none. */
function hostInAscii(host: string): string {
  return /[%/?#]/.test(host) ? '' : domainToASCII(host);
}

/** From where a request comes, as far as the security of accounts is concerned. */
export interface Origin {
  /** Shortened, /24 or /48: what is kept and shown. */
  network: string;
  /** The address itself, or the /64 of an IPv6 one: neighbours answer for their own tries alone. Kept as a hash. */
  caller: string;
}

/** @param trustedProxyHops as `clientAddress` takes them */
export function originOf({ raw }: FastifyRequest, trustedProxyHops: number): Origin {
  const address = clientAddress(raw, trustedProxyHops);
  return { network: networkOf(address), caller: callerOf(address) };
}
