import type { PaidEndpoint, RebateEarned } from '@evenkeel/contracts';
import type { Buyer } from '../buyer.fixture';
import type { Gateway, PaidRequest, Reply } from '../gateway.fixture';
import { RecordSettlements } from '../ledger/record-settlements';
import { analyze } from '../payments/payment.fixture';

export function rebateOf({ body }: Reply): RebateEarned | undefined {
  return body['rebate_earned'] as RebateEarned | undefined;
}

/** On tier 1, one payment of 0.05 USD short of a credit. */
export const almostThere = { settledMicros: 20_000_000, accruedMicros: 97_500 };

/** A buyer whose wallet is in the ledger already. */
export async function aBuyerWith(
  gateway: Gateway,
  earlier: { settledMicros?: number; accruedMicros?: number },
): Promise<Buyer> {
  const buyer = gateway.aBuyer();
  await gateway.ledger.seed(buyer.wallet, earlier);
  return buyer;
}

/** As the worker does when it finds the transfer on the chain. */
export async function settleInBackground({ ledger, clock, app }: Gateway, nonce: string): Promise<void> {
  const payment = await ledger.payment(nonce);
  const settledAt = clock.now();
  await app.get(RecordSettlements).record({ payment, transactionHash: null, settledAt, answer: null });
}

export interface HeldCredit {
  token: string;
  /** Who earned it. */
  buyer: Buyer;
}

/** Earned with a payment that leaves nothing accrued. */
export async function aCredit(gateway: Gateway): Promise<HeldCredit> {
  const buyer = await aBuyerWith(gateway, almostThere);
  const reply = await gateway.pay(await buyer.sign());
  return { token: rebateOf(reply)!.credit_token!, buyer };
}

/** Calls an endpoint with a credit and, if there is one, a payment too. */
export function redeem(
  gateway: Gateway,
  token: string,
  { endpoint = analyze, body, headers }: PaidRequest & { endpoint?: PaidEndpoint } = {},
): Promise<Reply> {
  return gateway.send(endpoint.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-credit': token, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body ?? endpoint.exampleInput),
  });
}
