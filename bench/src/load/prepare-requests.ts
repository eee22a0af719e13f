import { randomBytes } from 'node:crypto';
import { Connection, type Reply } from '@evenkeel/rehearse/connection';

const TRENDS = ['rising', 'stable', 'falling'];
const WALLETS = 1_000;
const wallets = Array.from({ length: WALLETS }, () => hex(20));

/** Of the right form and signed by no key: the stub checks none. */
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

export interface LoadPlan {
  url: string;
  path: string;
  habits: number;
  connections: number;
  seconds: number;
  expectedStatus: number;
  /** Null: nothing is paid. */
  payment: PaymentVersion | null;
}

/** A faster seller than this ends its slice early. */
const PAYMENTS_PER_SECOND = 4_000;

/** Requests as bytes, one after the other; paid ones are made before the clock runs, and come to an end. */
export async function prepareRequests(plan: LoadPlan, now: Date): Promise<() => Buffer | undefined> {
  const unpaid = requestBytes(plan);
  if (plan.payment === null) return () => unpaid;
  const connection = await Connection.open(plan.url);
  const nextPayment = paymentsFor(await connection.rawRequest(unpaid), plan.payment, now);
  connection.close();
  const paid = Array.from({ length: PAYMENTS_PER_SECOND * plan.seconds }, () => requestBytes(plan, nextPayment()));
  return () => paid.pop();
}

function requestBytes({ url, path, habits }: LoadPlan, payment?: string): Buffer {
  const body = habitsBody(habits);
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    'Content-Type: application/json',
    'Accept: */*',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(payment === undefined ? [] : [payment]),
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** A body with so many habits, all their optional numbers given; the same one every time. */
function habitsBody(count: number): string {
  const habits = Array.from({ length: count }, (_, index) => ({
    name: `Habit number ${index + 1}`,
    completion_rate: Math.round((0.3 + ((index * 37) % 65) / 100) * 100) / 100,
    current_streak: (index * 5) % 17,
    best_streak: 17 + ((index * 7) % 30),
    average_mood: 4 + (index % 5),
    mood_correlation: Math.round((((index * 13) % 100) / 100 - 0.3) * 100) / 100,
    energy_trend: TRENDS[index % TRENDS.length],
    risk_score: Math.round((((index * 11) % 90) / 100) * 100) / 100,
  }));
  return JSON.stringify({ habits, horizon_days: 35 });
}

/**
 * Payments as stock clients make them from a seller's own 402; version 2 ones carry its resource, terms and extensions
 * back. Each has a nonce of its own, from one of 1,000 wallets in turn.
 * @returns a request header per call, name included
 */
function paymentsFor(challenge: Reply, version: PaymentVersion, now: Date): () => string {
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
