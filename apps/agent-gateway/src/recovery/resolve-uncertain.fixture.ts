import type { ServerResponse } from 'node:http';
import { eventually } from '@evenkeel/platform/testing';
import type { SignedPayment } from '../buyer.fixture';
import { FacilitatorModule } from '../facilitator/facilitator.module';
import { StubFacilitator } from '../facilitator/stub-facilitator.fixture';
import type { Gateway, GatewayOptions } from '../gateway.fixture';
import { LedgerModule } from '../ledger/ledger.module';
import { PaymentChecks } from '../ledger/payment-checks';
import { SettlementsModule } from '../payments/payments.module';
import { ChainModule } from './chain.module';
import { ResolveByChain, ResolveByFacilitator, ResolveUncertain } from './resolve-uncertain';

/** Three blocks of the chain: what happened before is confirmed, and the first check of a payment is due. */
export const CONFIRMED_MS = 6_000;

class RecoveryWithoutWorker {}

/** Resolves uncertain payments without the worker, which has times of its own. */
export const recoveryByHand: GatewayOptions['modules'] = [
  {
    module: RecoveryWithoutWorker,
    imports: [ChainModule, LedgerModule, FacilitatorModule, SettlementsModule],
    providers: [ResolveByChain, ResolveByFacilitator, ResolveUncertain],
  },
];

/** Checks every payment that is due, with the bound of a round. @returns their nonces */
export async function checkDue(gateway: Gateway, isLate?: () => boolean): Promise<string[]> {
  const due = await gateway.app.get(PaymentChecks).take();
  for (const check of due) await gateway.app.get(ResolveUncertain).execute(check, isLate);
  return due.map(({ payment }) => payment.nonce);
}

/** Lets time pass until after the next check of a payment; one is passed over while the outcome of the last one is being written. */
export async function checkAfter(ms: number, { nonce }: { nonce: string }, by: Gateway): Promise<void> {
  by.clock.advanceMs(ms);
  await eventually(async () => expect(await checkDue(by)).toContain(nonce));
}

/** Until the ledger says so: outcomes of repeated settles are written in the background. */
export function untilPayment(gateway: Gateway, nonce: string, expected: object): Promise<void> {
  return eventually(async () => expect(await gateway.ledger.entriesOf(nonce)).toMatchObject(expected));
}

/**
 * A payment whose process died after the claim: not served, its settle perhaps never sent.
 * @param clockAheadMs of the replica that claimed it
 */
export async function crashed(gateway: Gateway, claimedMsAgo = 0, clockAheadMs = 0): Promise<SignedPayment> {
  const payment = await gateway.aBuyer().sign();
  gateway.control({ mode: 'refused', reason: 'unexpected_error', count: 1 });
  expect((await gateway.pay(payment)).status).toBe(502);
  const createdAt = new Date(gateway.clock.now().getTime() - claimedMsAgo + clockAheadMs);
  const { id } = await gateway.ledger.payment(payment.nonce);
  for (const table of ['payment_checks WHERE payment_id', 'outbox WHERE subject']) {
    await gateway.query(`DELETE FROM ${table} = $1`, [id]);
  }
  // Last: from now on a worker may take it over, and what that writes must stay.
  await gateway.query(
    `UPDATE payments SET state = 'settling', created_at = $2, claimed_at = clock_timestamp() - $3 * interval '1 ms'
     WHERE id = $1`,
    [id, createdAt, claimedMsAgo],
  );
  return payment;
}

export interface LogQuery {
  from: number;
  to: number;
}

type RpcCall = { method: string; params: [{ fromBlock: string; toBlock: string }] };

/** Passes everything on to a node, and remembers which blocks were asked for logs. */
export class RecordedRpc extends StubFacilitator {
  private queries: LogQuery[] = [];
  /** Logs from this block on are not answered. */
  failsFrom = Infinity;
  /** How many blocks were asked for. */
  blocks = 0;

  constructor(private readonly nodeUrl: () => string) {
    super();
    this.behave = ({ body }, response) => void this.passOn(body, response);
  }

  /** Each range once, in order, since the last time. */
  taken(): LogQuery[] {
    const ranges = new Map(this.queries.map((query) => [query.from, query]));
    this.queries = [];
    return [...ranges.values()].toSorted((one, other) => one.from - other.from);
  }

  private async passOn(body: string, response: ServerResponse): Promise<void> {
    const calls = [JSON.parse(body) as RpcCall | RpcCall[]].flat();
    const logs = calls.filter(({ method }) => method === 'eth_getLogs');
    const queries = logs.map(({ params: [range] }) => ({ from: Number(range.fromBlock), to: Number(range.toBlock) }));
    this.queries.push(...queries);
    this.blocks += calls.filter(({ method }) => method === 'eth_getBlockByNumber').length;
    if (queries.some(({ from }) => from >= this.failsFrom)) return void response.writeHead(500).end();
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(this.nodeUrl(), { method: 'POST', headers, body });
    response.writeHead(answer.status, headers).end(await answer.text());
  }
}
