import { randomBytes } from 'node:crypto';
import { SystemClock } from '@evenkeel/kernel';
import { OFFER } from '../sellers/offer';
import { Connection, requestBytes } from './load';

const TRENDS = ['rising', 'stable', 'falling'];
const WALLETS = Array.from({ length: 1_000 }, () => hex(20));
/** Of the right form and made with no key: the facilitator of the run checks none. */
const SIGNATURE = hex(65);

/** A call with so many habits, all their optional numbers given; the same one every time. */
export function callBytes(habits: number, headers: object = {}): Buffer {
  const summaries = Array.from({ length: habits }, (_, index) => ({
    name: `Habit number ${index + 1}`,
    completion_rate: (30 + ((index * 37) % 65)) / 100,
    current_streak: (index * 5) % 17,
    best_streak: 17 + ((index * 7) % 30),
    average_mood: 4 + (index % 5),
    mood_correlation: (((index * 13) % 100) - 30) / 100,
    energy_trend: TRENDS[index % TRENDS.length],
    risk_score: ((index * 11) % 90) / 100,
  }));
  return requestBytes('POST', OFFER.path, headers, { habits: summaries, horizon_days: 35 });
}

/**
 * Calls that are paid as stock clients of version 2 pay: from the 402 of the seller, whose resource, terms and extensions they
 * carry back. Each has a nonce of its own, and one of 1,000 wallets.
 * @param count so many are made before the clock runs
 * @param headers further ones, by the number of the call
 * @returns undefined when all are used
 */
export async function paidCalls(
  url: string,
  habits: number,
  count: number,
  headers: (index: number) => object = () => ({}),
): Promise<() => Buffer | undefined> {
  const { accepts, resource, extensions } = await challengeOf(url, habits);
  const [accepted] = accepts;
  const nowSeconds = Math.floor(new SystemClock().now().getTime() / 1_000);
  const paid = Array.from({ length: count }, (_, index) => {
    const authorization = {
      from: WALLETS[index % WALLETS.length],
      to: accepted.payTo,
      value: accepted.amount,
      validAfter: '0',
      validBefore: String(nowSeconds + accepted.maxTimeoutSeconds),
      nonce: hex(32),
    };
    const payload = { signature: SIGNATURE, authorization };
    const payment = JSON.stringify({ x402Version: 2, payload, extensions, resource, accepted });
    return callBytes(habits, { 'PAYMENT-SIGNATURE': Buffer.from(payment).toString('base64'), ...headers(index) });
  });
  return () => paid.pop();
}

async function challengeOf(url: string, habits: number) {
  const connection = await Connection.open(url);
  const { status, head } = await connection.send(callBytes(habits));
  connection.close();
  const header = /\r\npayment-required: (\S+)/i.exec(head)?.[1];
  if (status !== 402 || header === undefined) throw new Error(`a seller answered ${status} instead of 402`);
  return JSON.parse(Buffer.from(header, 'base64').toString()) as {
    accepts: [{ amount: string; payTo: string; maxTimeoutSeconds: number }];
    resource?: object;
    extensions?: object;
  };
}

function hex(bytes: number): string {
  return `0x${randomBytes(bytes).toString('hex')}`;
}
