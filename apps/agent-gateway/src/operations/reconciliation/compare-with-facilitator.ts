import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../../config/agent-gateway.config';
import { PaymentTerms } from '../../config/payment-terms';
import { FindPayments } from '../../ledger/find-payments';
import { closeCommand, differenceOf, LedgerPages } from './ledger-pages';
import type { Comparison, Difference, Period } from './report';

/** A payment as the facilitator lists it; addresses, nonce and hash in lower case. */
interface ListedSettlement {
  payer: string;
  nonce: string;
  payTo: string;
  amountMicros: number;
  transactionHash: string;
  settledAt: Date;
}

const TIMEOUT_MS = 10_000;

const NOT_LISTED =
  'Settled in the ledger and not in the list of the facilitator: ask the facilitator for the transaction.';
const NOT_KNOWN =
  'Listed by the facilitator and not in the ledger: another service with our address, or the ledger lost a row.';

/**
 * The settled payments of the ledger compared with the facilitator's own list, where it has one (`FACILITATOR_LEDGER_URL`):
 * `{"settlements": [{payer, nonce, to, value, transaction, settledAt}]}`.
 */
@Injectable()
export class CompareWithFacilitator {
  constructor(
    private readonly terms: PaymentTerms,
    private readonly ledger: LedgerPages,
    private readonly payments: FindPayments,
    private readonly config: AgentGatewayConfig,
  ) {}

  get isPossible(): boolean {
    return this.config.FACILITATOR_LEDGER_URL !== undefined;
  }

  async execute({ since, until }: Period): Promise<Comparison> {
    const payTo = this.terms.payTo.toLowerCase();
    const listed = (await listedAt(this.config.FACILITATOR_LEDGER_URL!)).filter((one) => one.payTo === payTo);
    const waiting = new Map(listed.map((settlement) => [keyOf(settlement), settlement]));
    const [oursOnly, theirsOnly]: Difference[][] = [[], []];
    let matched = 0;
    for await (const page of this.ledger.between(since, until)) {
      for (const payment of page.filter(({ state }) => state === 'settled')) {
        if (waiting.get(keyOf(payment))?.amountMicros === payment.priceMicros) matched += 1;
        else oursOnly!.push(differenceOf(payment, NOT_LISTED));
        waiting.delete(keyOf(payment));
      }
    }
    for (const settlement of waiting.values()) {
      if (settlement.settledAt < since || settlement.settledAt >= until) continue;
      const difference = await this.unexpected(settlement);
      if (difference) theirsOnly!.push(difference);
      else matched += 1;
    }
    return { with: 'facilitator', matched, oursOnly: oursOnly!, theirsOnly: theirsOnly!, comparedUntil: until };
  }

  private async unexpected(settlement: ListedSettlement): Promise<Difference | null> {
    const { payer, nonce, amountMicros, transactionHash } = settlement;
    const row = await this.payments.byAuthorization(payer, nonce, this.terms.asset);
    if (row?.state === 'settled') return null;
    if (!row) return { payer, nonce, amountMicros, transactionHash, state: null, remedy: NOT_KNOWN };
    const remedy = `Settled as the facilitator says. Close it: ${closeCommand(row, transactionHash)}`;
    return { ...differenceOf(row, remedy), transactionHash };
  }
}

/** @throws Error when it cannot be read as such a list */
async function listedAt(url: string): Promise<ListedSettlement[]> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`The facilitator's list answers ${response.status}.`);
  const body: unknown = await response.json().catch(() => {
    // The parser's own message quotes what it read.
    throw new Error("The facilitator's list is not JSON.");
  });
  const { settlements } = Object(body) as { settlements?: unknown };
  if (!Array.isArray(settlements)) throw new Error("The facilitator's list has no settlements.");
  return settlements.map(settlementOf);
}

function keyOf({ payer, nonce }: { payer: string; nonce: string }): string {
  return `${payer} ${nonce}`;
}

function settlementOf(listed: unknown): ListedSettlement {
  const { payer, nonce, to, value, transaction, settledAt } = Object(listed) as Record<string, unknown>;
  const lower = (text: unknown) => String(text).toLowerCase();
  const settlement = {
    payer: lower(payer),
    nonce: lower(nonce),
    payTo: lower(to),
    amountMicros: Number(value),
    transactionHash: lower(transaction),
    settledAt: new Date(String(settledAt)),
  };
  if (!Number.isSafeInteger(settlement.amountMicros) || Number.isNaN(settlement.settledAt.getTime())) {
    throw new Error("The facilitator's list has an entry that cannot be read.");
  }
  return settlement;
}
