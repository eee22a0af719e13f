import type { Authorization } from '../chain/authorization';
import type { TokenChain } from '../chain/token-chain';
import { invalid, refused, type Answer, type Refusal } from './answers';
import type { Facilitator } from './facilitator';
import { PaymentRefused } from './refusal';
import type { Received } from './received';
import type { Delivery } from './settlements';

/** One call of verify or settle, with all that can be made of it. */
export class PaymentCall {
  constructor(
    private readonly facilitator: Facilitator,
    private readonly chain: TokenChain,
    readonly target: 'verify' | 'settle',
    readonly received: Received,
  ) {}

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

  /** The payer takes his authorization back. */
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
