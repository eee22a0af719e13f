import type { TokenChain } from '../chain/token-chain';
import type { Revert } from '../chain/token';
import { invalid, refused, settled, valid, type Answer, type Subject } from './answers';
import { checkDomain, checkFit, checkTerms, domainOf, networkName } from './checks';
import type { Offer } from './offer';
import type { PaymentRequest } from './payment-request';
import { receive, type Received } from './received';
import { PaymentRefused, reasonFor, type Engine, type Fault, type Wording } from './refusal';
import { Settlements, type Delivery, type Outcome } from './settlements';
import { Signers } from './signers';

const FAULT_OF: Record<Revert, Fault> = {
  not_yet_valid: 'valid_after',
  expired: 'valid_before',
  nonce_used: 'nonce_used',
  insufficient_balance: 'balance',
  blacklisted: 'simulation',
};

/** Verifies and settles payments of scheme `exact` in one token, the way public facilitators do. */
export class Facilitator {
  /** The wordings that are taken and listed. */
  wordings: ReadonlySet<Wording> = new Set([1, 2]);
  /** The engine that answers version 1. */
  engine: Engine = 'current';
  private readonly signers = new Signers();
  private readonly settlements: Settlements;

  constructor(
    private readonly chain: TokenChain,
    private readonly offer: Offer,
  ) {
    this.settlements = new Settlements(chain);
  }

  supported(): Answer {
    const kinds = [...this.wordings].map((x402Version) => ({
      x402Version,
      scheme: 'exact',
      network: networkName(x402Version, this.offer.chain),
    }));
    return { status: 200, body: { kinds, extensions: [], signers: {} } };
  }

  receive(body: unknown): Received {
    return receive(body, this.wordings);
  }

  /** A read: nothing changes. */
  async verify(received: Received): Promise<Answer> {
    try {
      const payment = await this.signed(received);
      checkFit(payment, this.chain.nowSeconds(), this.engine);
      if (!this.looksAtChain(payment)) return valid(this.subject(received));
      const revert = this.chain.revertOf(payment.authorization);
      if (revert) throw new PaymentRefused(FAULT_OF[revert]);
      checkDomain(payment, this.offer);
      return valid(this.subject(received));
    } catch (error) {
      return invalid(this.subject(received), this.refusal(error, received));
    }
  }

  /** Moves the money once: a second settle of the same authorization is refused without a hash. */
  async settle(received: Received, delivery: Delivery = {}): Promise<Answer> {
    try {
      const payment = await this.signed(received);
      // No await from here on: copies that come at the same time must not both get past the nonce.
      const again = this.settlements.again(payment, delivery);
      return this.settleAnswer(received, again ?? this.settleFirst(payment, delivery));
    } catch (error) {
      return refused(this.subject(received), this.refusal(error, received));
    }
  }

  /** Network and payer of a request, as far as it can be read. */
  subject({ wording, payment }: Received): Subject {
    const network = networkName(wording, this.offer.chain);
    return payment instanceof PaymentRefused ? { network } : { network, payer: payment.authorization.from };
  }

  private settleFirst(payment: PaymentRequest, delivery: Delivery): Outcome {
    checkFit(payment, this.chain.nowSeconds(), this.engine);
    checkDomain(payment, this.offer);
    const revert = this.chain.revertOf(payment.authorization);
    if (revert) throw new PaymentRefused(revert === 'blacklisted' ? 'sending' : FAULT_OF[revert]);
    return this.settlements.send(payment, delivery);
  }

  private settleAnswer(received: Received, { state, hash }: Outcome): Answer {
    const subject = this.subject(received);
    if (state === 'success') return settled(subject, hash);
    const reason = state === 'pending' ? 'settlement_pending' : reasonFor('reverted', received.wording, this.engine);
    return refused(subject, { reason, transaction: hash });
  }

  private async signed({ payment }: Received): Promise<PaymentRequest> {
    if (payment instanceof PaymentRefused) throw payment;
    checkTerms(payment, this.offer);
    const { authorization, signature } = payment;
    const domain = domainOf(payment, this.offer, this.engine);
    const signer = await this.signers.signerOf(authorization, signature, domain);
    if (signer?.toLowerCase() !== authorization.from.toLowerCase()) throw new PaymentRefused('signature');
    return payment;
  }

  private looksAtChain({ wording }: PaymentRequest): boolean {
    return wording === 2 || this.engine === 'current';
  }

  private refusal(error: unknown, { wording }: Received): { reason: string; status: number } {
    if (!(error instanceof PaymentRefused)) throw error;
    return { reason: reasonFor(error.fault, wording, this.engine), status: error.status };
  }
}
