import type { Chain } from '@evenkeel/contracts';
import type { Address, Hex } from 'viem';
import type { Authorization } from '../chain/token';
import type { TokenChain } from '../chain/token-chain';
import type { Facilitator } from './facilitator';
import { PaymentRefused } from './refusal';
import type { Delivery, Received } from './settlements';

/** The answer over HTTP: the body decides, not the status. */
export interface Answer {
  status: number;
  body: unknown;
}

interface Refusal {
  reason: string;
  status?: number;
  /** Hash of a transaction that was sent all the same. */
  transaction?: Hex | '';
}

/** Whom and what an answer is about; the payer is unknown when the request cannot be read. */
export interface Subject {
  network: string;
  payer?: Address;
}

/** The chain a facilitator settles on; each x402Version has its own name for it. */
type ChainName = Pick<Chain, 'chainId' | 'caip2' | 'shortName'>;

/** The token it settles in: address and EIP-712 domain belong together. */
export interface Asset {
  address: string;
  name: string;
  version: string;
}

export interface Offer {
  chain: ChainName;
  asset: Asset & { address: Address };
}

/** One call of verify or settle, with all that can be made of it. */
export class PaymentCall {
  constructor(
    private readonly facilitator: Facilitator,
    private readonly chain: TokenChain,
    readonly target: 'verify' | 'settle',
    readonly received: Received,
  ) {}

  /** Undefined when it cannot be read. */
  get payer(): string | undefined {
    return this.facilitator.subject(this.received).payer;
  }

  /** The faithful answer. */
  answer(): Promise<Answer> {
    return this.target === 'verify' ? this.facilitator.verify(this.received) : this.settle();
  }

  settle(delivery?: Delivery): Promise<Answer> {
    return this.facilitator.settle(this.received, delivery);
  }

  /** A no without a look at the payment. */
  refuse(refusal: Refusal): Answer {
    const subject = this.facilitator.subject(this.received);
    return this.target === 'verify' ? invalid(subject, refusal) : refused(subject, refusal);
  }

  /** Success that names no transaction. */
  async settleWithoutHash(): Promise<Answer> {
    const { status, body } = await this.settle();
    return { status, body: { ...(body as object), transaction: '' } };
  }

  /** @param ms how long the transaction stays pending: by default until the next block, null: for ever */
  settlePending(ms: number | null = this.chain.blocks.blockMs): Promise<Answer> {
    return this.settle({ pendingForMs: ms });
  }

  /** The payer cancels the authorization. */
  cancel(): void {
    this.withAuthorization(({ from, nonce }) => this.chain.cancel(from, nonce));
  }

  /** Somebody else sends the signed transfer to the chain. */
  submitElsewhere(): void {
    this.withAuthorization((transfer) => this.chain.send(transfer, { submittedBy: 'third_party', includedAfterMs: 0 }));
  }

  private withAuthorization(act: (authorization: Authorization) => void): void {
    const { payment } = this.received;
    if (!(payment instanceof PaymentRefused)) act(payment.authorization);
  }
}

export function valid({ payer }: Subject): Answer {
  return { status: 200, body: { isValid: true, payer } };
}

export function invalid({ payer }: Subject, { reason, status = 200 }: Refusal): Answer {
  return { status, body: { isValid: false, invalidReason: reason, payer } };
}

export function settled({ network, payer }: Subject, transaction: Hex): Answer {
  return { status: 200, body: { success: true, transaction, network, payer } };
}

export function refused(subject: Subject, { reason, status = 200, transaction = '' }: Refusal): Answer {
  return { status, body: { success: false, errorReason: reason, transaction, ...subject } };
}
