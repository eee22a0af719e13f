import { randomBytes } from 'node:crypto';
import type { Reply } from './connection';

const WALLETS = 1_000;
const wallets = Array.from({ length: WALLETS }, () => hex(20));
/** Of the right form and by nobody: the stub looks at none. */
const SIGNATURE = hex(65);

export type PaymentVersion = 1 | 2;

interface Entry {
  scheme: string;
  network: string;
  payTo: string;
  maxTimeoutSeconds: number;
  /** Version 2. */
  amount?: string;
  /** Version 1. */
  maxAmountRequired?: string;
}

interface PaymentRequired {
  accepts: [Entry];
  resource?: object;
  extensions?: object;
}

/**
 * Payments as stock clients make them from a seller's own 402; version 2 ones carry its resource, terms and extensions
 * back. Each has a nonce of its own, from one of 1,000 wallets in turn.
 * @returns a request header per call, name included
 */
export function paymentsFor(challenge: Reply, version: PaymentVersion, now: Date): () => string {
  const { accepts, resource, extensions } = paymentRequired(challenge, version);
  const [entry] = accepts;
  const seconds = Math.floor(now.getTime() / 1_000);
  let made = 0;
  return () => {
    const authorization = {
      from: wallets[made++ % WALLETS],
      to: entry.payTo,
      value: entry.amount ?? entry.maxAmountRequired,
      validAfter: String(version === 1 ? seconds - 600 : 0),
      validBefore: String(seconds + entry.maxTimeoutSeconds),
      nonce: hex(32),
    };
    const payload = { signature: SIGNATURE, authorization };
    return version === 1
      ? `X-PAYMENT: ${encoded({ x402Version: 1, scheme: entry.scheme, network: entry.network, payload })}`
      : `PAYMENT-SIGNATURE: ${encoded({ x402Version: 2, payload, extensions, resource, accepted: entry })}`;
  };
}

function paymentRequired({ status, head, body }: Reply, version: PaymentVersion): PaymentRequired {
  if (status !== 402) throw new Error(`a seller answered ${status} instead of 402`);
  const header = /\r\npayment-required: (\S+)/i.exec(head)?.[1] ?? '';
  const text = version === 1 ? body.toString() : Buffer.from(header, 'base64').toString();
  return JSON.parse(text) as PaymentRequired;
}

function encoded(payment: object): string {
  return Buffer.from(JSON.stringify(payment)).toString('base64');
}

function hex(bytes: number): string {
  return `0x${randomBytes(bytes).toString('hex')}`;
}
