import { Inject, Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../../config/agent-gateway.config';

/** A payment as the facilitator lists it; addresses, nonce and hash in lower case. */
export interface ListedSettlement {
  payer: string;
  nonce: string;
  payTo: string;
  amountMicros: number;
  transactionHash: string;
  settledAt: Date;
}

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 16 * 1_024 * 1_024;

/** The facilitator's own list, where it has one (`FACILITATOR_LEDGER_URL`): `{"settlements": [{payer, nonce, to, value, transaction, settledAt}]}`. */
@Injectable()
export class FacilitatorLedger {
  constructor(
    @Inject(AgentGatewayConfig) private readonly config: Pick<AgentGatewayConfig, 'FACILITATOR_LEDGER_URL'>,
  ) {}

  get isThere(): boolean {
    return this.config.FACILITATOR_LEDGER_URL !== undefined;
  }

  /** @throws Error when it cannot be read as such a list */
  async settlements(): Promise<ListedSettlement[]> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(this.config.FACILITATOR_LEDGER_URL!, { redirect: 'error', signal });
    if (!response.ok || !response.body) throw new Error(`The facilitator's list answers ${response.status}.`);
    const { settlements } = parsed(await textOf(response.body));
    if (!Array.isArray(settlements)) throw new Error("The facilitator's list has no settlements.");
    return settlements.map(settlementOf);
  }
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
