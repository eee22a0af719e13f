import { callerOf, clientAddress, networkOf } from '@evenkeel/platform/http';
import type { FastifyRequest } from 'fastify';

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
