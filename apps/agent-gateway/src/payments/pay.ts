import { Injectable } from '@nestjs/common';
import type { PaidEndpoint, PaymentErrorCode } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { type Answer, asReplay, Call, type CallFacts, DeadlineExceeded, withoutToken } from '../calls/call';
import { invalidPaymentPayload, MAX_SECONDS_LONGER, type Payment, PaymentRefused } from '../calls/payment';
import { CreditRefused, PayByCredit } from '../credits/pay-by-credit';
import { type UnprovedAttempt, WalletLimit } from '../limits/caller-limits';
import { PaymentTerms } from '../config/payment-terms';
import { ReplayPolicy } from './settle-payment';
import { PaymentInProgress } from './settlement-outcome';
import { Slots } from './slots';
import { RepeatCall } from './repeat-call';
import { TakeNewPayment } from './take-new-payment';

const MIN_SECONDS_LEFT = 6;
/** A buyer's clock may be ahead of ours by this much. */
const MAX_SECONDS_EARLY = 30;
const MAX_SHOWN_CHARACTERS = 80;

/** A valid call together with its payment. */
export class PaidCall extends Call {
  /** @param attempt the hit of the call in the limit of its address */
  constructor(
    facts: CallFacts,
    readonly payment: Payment,
    readonly attempt: UnprovedAttempt,
  ) {
    super(facts);
  }

  /** The same payment for the same request. */
  get identity(): string {
    return `${this.payment.digest} ${this.fingerprint}`;
  }
}

/**
 * A call with a payment. The payment is taken as a new one unless a check fails; before it is refused, the
 * ledger is asked whether it was taken before (docs/protocol.md).
 */
@Injectable()
export class PayForCall {
  constructor(
    private readonly terms: PaymentTerms,
    private readonly clock: Clock,
    private readonly slots: Slots,
    private readonly takeNewPayment: TakeNewPayment,
    private readonly repeatCall: RepeatCall,
    private readonly walletLimit: WalletLimit,
  ) {}

  /**
   * @throws PaymentRefused (402), PaymentVerificationUnavailable (502), SettlementUnknown (502), PaymentInProgress (429),
   * RateLimited (429)
   */
  async execute(call: PaidCall): Promise<Answer> {
    try {
      return await this.pay(call);
    } catch (error) {
      if (error instanceof PaymentRefused) {
        // The 402 has a fresh offer; these headers say how often its payer may take it.
        const policy = this.walletLimit.policyOf(call.payment.payer);
        Object.assign(error.headers, await call.deadline.withinOr(policy, {}));
      }
      throw error;
    }
  }

  /** Checks that need nothing but the payment come first: a payment that fails them takes no slot. */
  private async pay(call: PaidCall): Promise<Answer> {
    const unknownScheme = checkScheme(call.payment, this.terms);
    if (unknownScheme) throw unknownScheme;
    const otherTerms = checkTerms(call.payment, call.endpoint, this.terms);
    if (otherTerms) return this.repeatCall.orRefuse(call, otherTerms, { onlyIdentical: true });
    const notInTime = checkTime(call.payment, this.terms, this.clock.now());
    if (notInTime) return this.repeatCall.orRefuse(call, notInTime);

    const slot = this.slots.take(call.attempt.caller);
    try {
      return await this.takeNewPayment.execute(call, slot);
    } finally {
      slot.leave();
    }
  }
}

/** Scheme and network. Our settings cannot have changed them since the payment was signed, so the refusal is final. */
function checkScheme(payment: Payment, terms: PaymentTerms): PaymentRefused | null {
  if (payment.scheme !== 'exact') return new PaymentRefused('unsupported_scheme', 'Only the scheme "exact" is taken.');
  const { caip2, shortName } = terms.chain;
  const known = payment.version === 2 ? [caip2] : [caip2, shortName];
  if (known.includes(payment.network)) return null;
  return new PaymentRefused('unsupported_network', `Pay on ${caip2}.`, { expected: caip2 });
}

/** Recipient, token and amount. Ours may have changed since the payment was signed, so look into the ledger before refusing. */
function checkTerms(payment: Payment, endpoint: PaidEndpoint, terms: PaymentTerms): PaymentRefused | null {
  const { authorization, accepted } = payment;
  if (!sameHex(authorization.to, terms.payTo) || (accepted && !sameHex(accepted.payTo, terms.payTo))) {
    return new PaymentRefused('wrong_recipient', 'The payment goes to another address.', { expected: terms.payTo });
  }
  if (accepted && !sameHex(accepted.asset, terms.asset)) {
    return new PaymentRefused('wrong_asset', 'The payment is in another token.', { expected: terms.asset });
  }
  const price = String(endpoint.priceMicros);
  if (authorization.value !== price) return amountMismatch(price, authorization.value);
  if (accepted && accepted.amount !== price) return amountMismatch(price, accepted.amount);
  return null;
}

/** For new payments only. One that the ledger knows may come late, so look into the ledger before refusing. */
function checkTime({ authorization }: Payment, { maxTimeoutSeconds }: PaymentTerms, now: Date): PaymentRefused | null {
  const nowSeconds = now.getTime() / 1_000;
  const secondsLeft = Number(authorization.validBefore) - nowSeconds;
  if (secondsLeft < MIN_SECONDS_LEFT) {
    return new PaymentRefused('authorization_expired', `The authorization has less than ${MIN_SECONDS_LEFT} s left.`);
  }
  if (Number(authorization.validAfter) - nowSeconds > MAX_SECONDS_EARLY) {
    return notInTime('authorization_not_yet_valid', 'The authorization is not valid yet.');
  }
  // An uncertain payment stays uncertain until its authorization has expired.
  if (secondsLeft > maxTimeoutSeconds + MAX_SECONDS_LONGER) {
    return notInTime(
      'authorization_valid_too_long',
      `The authorization is valid too long: sign for at most ${maxTimeoutSeconds} s.`,
    );
  }
  return null;
}

function notInTime(code: PaymentErrorCode, message: string): PaymentRefused {
  return new PaymentRefused(code, message, { code });
}

function amountMismatch(expected: string, offered: unknown): PaymentRefused {
  const received = typeof offered === 'string' ? offered.slice(0, MAX_SHOWN_CHARACTERS) : null;
  return new PaymentRefused('amount_mismatch', 'The amount must equal the price.', { expected, received });
}

function sameHex(value: unknown, expected: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === expected.toLowerCase();
}

/** The credit and the payment that a request has brought for its call. */
export interface PaymentInstrument {
  /** Token of a credit. */
  credit: string | null;
  /** Reads the payment; called only when no credit pays. Null when the request has none. @throws PaymentRefused */
  payment: (() => Payment) | null;
}

interface FirstCall {
  call: PaidCall;
  answer: Promise<Answer>;
}

/** Paid calls in progress in this process: copies of a call wait for the answer of the first one. */
@Injectable()
export class InFlightCalls {
  private readonly shared = new Map<string, FirstCall>();

  constructor(private readonly replayPolicy: ReplayPolicy) {}

  /**
   * Does the work once for all copies that arrive while it runs.
   * @throws PaymentInProgress when the first copy does not answer in this one's time
   */
  async once(call: PaidCall, work: () => Promise<Answer>): Promise<Answer> {
    const key = this.replayPolicy.joinKey(call);
    const first = key === null ? undefined : this.shared.get(key);
    if (first) return this.copyOf(first, call);
    const answer = work();
    if (key === null) return answer;
    this.shared.set(key, { call, answer });
    try {
      return await answer;
    } finally {
      this.shared.delete(key);
    }
  }

  private async copyOf(first: FirstCall, call: PaidCall): Promise<Answer> {
    const { identifier: paymentIdentifier } = first.call.payment;
    const { idempotencyKey } = first.call;
    try {
      const answer = asReplay(await call.deadline.within(first.answer));
      return this.replayPolicy.showsKey({ paymentIdentifier, idempotencyKey }, call) ? answer : withoutToken(answer);
    } catch (error) {
      throw error instanceof DeadlineExceeded ? new PaymentInProgress('payment_in_progress') : error;
    } finally {
      // The copies have one payment: what proves it for the first call proves it for all.
      if (first.call.attempt.isProved) call.attempt.prove();
    }
  }
}

/** Answers a valid call for the payment or the credit that it came with: over HTTP and over MCP the same. */
@Injectable()
export class AnswerCall {
  constructor(
    private readonly payByCredit: PayByCredit,
    private readonly inFlight: InFlightCalls,
    private readonly payForCall: PayForCall,
  ) {}

  /**
   * A good credit pays for the call; without one the payment does (D-16).
   * @param attempt the hit of the call in the limit of its address
   * @param onCreditRefused called when the payment is tried in place of the credit, with the headers about the credit
   * @throws PaymentRefused (402), RateLimited (429), PaymentInProgress (429), PaymentVerificationUnavailable (502),
   * SettlementUnknown (502), RedemptionUnknown (502)
   */
  async execute(
    facts: CallFacts,
    { credit, payment }: PaymentInstrument,
    attempt: UnprovedAttempt,
    onCreditRefused: (headers: Record<string, string>) => void,
  ): Promise<Answer> {
    if (credit !== null) {
      try {
        return await this.payByCredit.execute(new Call(facts), credit, { attempt, hasPayment: payment !== null });
      } catch (error) {
        if (!(error instanceof CreditRefused) || payment === null) throw error;
        onCreditRefused(error.headers);
      }
    }
    if (payment === null) throw invalidPaymentPayload('nothing came to pay with');
    const call = new PaidCall(facts, payment(), attempt);
    return this.inFlight.once(call, () => this.payForCall.execute(call));
  }
}
