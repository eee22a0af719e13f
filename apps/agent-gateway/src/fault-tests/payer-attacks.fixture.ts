import { request } from 'node:http';
import fc from 'fast-check';
import type { Buyer, SignedPayment } from '../buyer.fixture';
import type { Gateway } from '../gateway.fixture';
import { analyze, settlementResponseIn } from '../payments/payment.fixture';

const BLOCK_MS = 2_000;
/** How settle goes for one wallet. In the first the transaction waits for its block, and the answer with it. */
const SETTLES = ['answered-with-block', 'pending-then-never', 'hang', 'settled-but-answer-lost', 'refused'] as const;
/** An action of the payer: with an answer whose payment is open, or once all are answered. */
const ACTS = ['nothing', 'cancel', 'drain', 'submit', 'one_transfer', 'honest_batch'] as const;

/** One wallet with a few payments, each in a request of its own. */
export interface Attack {
  payments: number;
  settle: (typeof SETTLES)[number];
  /** The body ends so long after the head. */
  lateMs: number;
  /** Each request goes to both replicas. */
  copies: boolean;
  act: (typeof ACTS)[number];
  repeats: boolean;
}

export const ATTACKS: fc.Arbitrary<Attack> = fc.record({
  payments: fc.constantFrom(1, 1, 2, 4),
  settle: fc.constantFrom(SETTLES[0], ...SETTLES),
  lateMs: fc.oneof(
    fc.constant(0),
    fc.integer({ min: 0, max: 100 }).map((steps) => steps * 50),
  ),
  copies: fc.boolean(),
  act: fc.constantFrom(...ACTS),
  repeats: fc.boolean(),
});

let sent = 0;

/** Sends the head and half of the body, and the rest later. @returns the status of the settlement in a 200, else null */
export function payLate(gateway: Gateway, { header }: SignedPayment, lateMs: number): Promise<string | null> {
  const body = JSON.stringify(analyze.exampleInput);
  const outgoing = request(gateway.running.url + analyze.path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-payment': header,
      // Each from another address, since one address has few slots.
      'x-forwarded-for': `198.51.100.${(sent += 1) % 250}`,
    },
    agent: false,
  });
  outgoing.write(body.slice(0, body.length / 2));
  setTimeout(() => outgoing.end(body.slice(body.length / 2)), lateMs);
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      const headers = new Headers(response.headers as Record<string, string>);
      const settlement = response.statusCode === 200 ? String(settlementResponseIn(headers)?.status) : null;
      response.resume().on('close', () => resolve(settlement));
    });
  });
}

/** Plays one attack, from the signatures until the last answer. */
export async function attack(replicas: readonly [Gateway, Gateway], plan: Attack): Promise<void> {
  const [first] = replicas;
  const buyer = first.aBuyer();
  const settles = plan.settle === 'refused' ? { reason: 'unexpected_error' } : { ms: BLOCK_MS, then: 'hang' as const };
  first.control({ mode: plan.settle, on: 'settle', payer: buyer.wallet, ...settles });
  const payments: SignedPayment[] = [];
  for (let index = 0; index < plan.payments; index++) payments.push(await buyer.sign());
  const send = async (payment: SignedPayment): Promise<void> => {
    const answers = (plan.copies ? replicas : [first]).map(async (gateway) => {
      // Quicker than the next block: the answer is there, the money is not.
      if ((await payLate(gateway, payment, plan.lateMs)) === 'settlement_pending')
        avoid(first, buyer, payment, plan.act);
    });
    await Promise.all(answers);
  };
  await Promise.all(payments.map(send));
  spend(first, buyer, payments, plan.act);
  if (plan.repeats) await Promise.all(payments.map(send));
}

function avoid({ facilitator }: Gateway, { wallet }: Buyer, { nonce }: SignedPayment, act: Attack['act']): void {
  if (act === 'cancel') facilitator.control({ action: 'cancel', payer: wallet, nonce });
  if (act === 'drain') facilitator.control({ action: 'balance', wallet, value: '0' });
}

/** Of the nonces that are left, all in one transaction. */
function spend({ facilitator }: Gateway, { wallet }: Buyer, payments: SignedPayment[], act: Attack['act']): void {
  const unspent = payments.filter(({ nonce }) => facilitator.ledger(nonce).settlements.length === 0);
  const [real, ...others] = unspent.map(({ authorization }) => authorization);
  if (!real) return;
  const toItself = others.map((authorization) => ({ ...authorization, to: wallet, value: '0' }));
  if (act === 'submit') facilitator.control({ action: 'submit', authorization: real });
  if (act === 'one_transfer') facilitator.control({ action: 'batch', transfers: [...toItself, real] });
  if (act === 'honest_batch') facilitator.control({ action: 'batch', transfers: [real, ...others] });
}

/** Works off a list, so many at once. */
export async function workOff<Item>(items: readonly Item[], atOnce: number, work: (item: Item) => Promise<void>) {
  const left = [...items];
  const sender = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, sender));
}
