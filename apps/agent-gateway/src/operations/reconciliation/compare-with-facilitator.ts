import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../../config/agent-gateway.config';
import { PaymentTerms } from '../../config/payment-terms';
import { FindPayments } from '../../ledger/find-payments';
import { closeCommand, differenceOf, LedgerPages } from './ledger-pages';
import type { Compare, Comparison, Difference, Period } from './report';

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
const MAX_ANSWER_BYTES = 16 * 1_024 * 1_024;

const NOT_LISTED =
  'Settled in the ledger and not in the list of the facilitator: ask the facilitator for the transaction.';
const NOT_KNOWN =
  'Listed by the facilitator and not in the ledger: another service with our address, or the ledger lost a row.';

/**
 * The settled payments of the ledger compared with the facilitator's own list, where it has one (`FACILITATOR_LEDGER_URL`):
 * `{"settlements": [{payer, nonce, to, value, transaction, settledAt}]}`.
 */
@Injectable()
export class CompareWithFacilitator implements Compare {
  constructor(
    private readonly terms: PaymentTerms,
    private readonly ledger: LedgerPages,
    private readonly payments: FindPayments,
    private readonly config: AgentGatewayConfig,
  ) {}

  get isPossible(): boolean {
    return this.config.FACILITATOR_LEDGER_URL !== undefined;
  }

  async execute({ since, until, report }: Period): Promise<Comparison> {
    const payTo = this.terms.payTo.toLowerCase();
    const listed = (await listedAt(this.config.FACILITATOR_LEDGER_URL!)).filter(
      (settlement) => settlement.payTo === payTo,
    );
    const waiting = new Map(listed.map((settlement) => [keyOf(settlement), settlement]));
    const comparison: Comparison = {
      with: 'facilitator',
      matched: 0,
      oursOnly: [],
      theirsOnly: [],
      comparedUntil: until,
    };
    for await (const page of this.ledger.between(since, until)) {
      for (const payment of page.filter(({ state }) => state === 'settled')) {
        if (waiting.get(keyOf(payment))?.amountMicros === payment.priceMicros) comparison.matched += 1;
        else comparison.oursOnly.push(differenceOf(payment, NOT_LISTED));
        waiting.delete(keyOf(payment));
      }
    }
    report(`facilitator: ${listed.length} listed`);
    for (const settlement of waiting.values()) {
      if (settlement.settledAt < since || settlement.settledAt >= until) continue;
      const difference = await this.unexpected(settlement);
      if (difference) comparison.theirsOnly.push(difference);
      else comparison.matched += 1;
    }
    return comparison;
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
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { redirect: 'error', signal });
  if (!response.ok || !response.body) throw new Error(`The facilitator's list answers ${response.status}.`);
  const { settlements } = parsed(await textOf(response.body));
  if (!Array.isArray(settlements)) throw new Error("The facilitator's list has no settlements.");
  return settlements.map(settlementOf);
}

function keyOf({ payer, nonce }: { payer: string; nonce: string }): string {
  return `${payer} ${nonce}`;
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`The facilitator's list is longer than ${MAX_ANSWER_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The parser's own message quotes what it read. */
function parsed(text: string): { settlements?: unknown } {
  try {
    return Object(JSON.parse(text)) as { settlements?: unknown };
  } catch {
    throw new Error("The facilitator's list is not JSON.");
  }
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
