import type { PaidEndpoint } from '@evenkeel/contracts';
import { MAX_SECONDS_LONGER, type PaymentTerms } from '../config/payment-terms';
import type { Payment } from '../calls/payment';
import { PaymentRefused } from '../calls/payment-refused';

const MIN_SECONDS_LEFT = 6;
/** A buyer's clock may be ahead of ours by this much. */
const MAX_SECONDS_EARLY = 30;
const MAX_SHOWN_CHARACTERS = 80;

/** Scheme and network. Our settings cannot have changed them since the payment was signed, so the refusal is final. */
export function checkScheme(payment: Payment, terms: PaymentTerms): PaymentRefused | null {
  if (payment.scheme !== 'exact') return new PaymentRefused('unsupported_scheme', 'Only the scheme "exact" is taken.');
  const { caip2, shortName } = terms.chain;
  const known = payment.version === 2 ? [caip2] : [caip2, shortName];
  if (known.includes(payment.network)) return null;
  return new PaymentRefused('unsupported_network', `Pay on ${caip2}.`, { expected: caip2 });
}

/** Recipient, token and amount. Ours may have changed since the payment was signed, so look into the ledger before refusing. */
export function checkTerms(payment: Payment, endpoint: PaidEndpoint, terms: PaymentTerms): PaymentRefused | null {
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
export function checkTime(
  { authorization }: Payment,
  { maxTimeoutSeconds }: PaymentTerms,
  now: Date,
): PaymentRefused | null {
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

function notInTime(code: string, message: string): PaymentRefused {
  return new PaymentRefused(code, message, { code });
}

function amountMismatch(expected: string, offered: unknown): PaymentRefused {
  const received = typeof offered === 'string' ? offered.slice(0, MAX_SHOWN_CHARACTERS) : null;
  return new PaymentRefused('amount_mismatch', 'The amount must equal the price.', { expected, received });
}

function sameHex(value: unknown, expected: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === expected.toLowerCase();
}
