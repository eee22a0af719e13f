import type { PaidCall } from './pay-for';

/** Answered, and the seller has the money or will have it. */
export function isPaid({ status, receipt }: PaidCall): boolean {
  return status === 200 && receipt?.success === true;
}

/**
 * What a person wants to know about a call, line by line, then the answer itself.
 * @param signed what is to be said of its signed receipt
 */
export function reportOf(call: PaidCall, signed: string | null): string {
  const { status, receipt, body } = call;
  const lines = [`Price        ${priceOf(call)}`, `Status       ${status}${isPaid(call) ? '' : ' (not paid)'}`];
  if (receipt)
    lines.push(`Transaction  ${receipt.transaction || 'none yet'}`, `Receipt      ${JSON.stringify(receipt)}`);
  if (signed !== null) lines.push(`Signed       ${signed}`);
  const text = typeof body === 'string' ? body : JSON.stringify(body, null, 2);
  return `${lines.join('\n')}\n\n${text}\n`;
}

/** The service's own word for why not, for the error stream. */
export function refusalOf({ status, body }: PaidCall): string {
  const { error = 'no reason given', message = '' } = (body ?? {}) as { error?: string; message?: string };
  return `Not paid: ${status} ${error}${message && `, ${message}`}`;
}

function priceOf({ challenge }: PaidCall): string {
  const { price, accepts } = (challenge ?? {}) as {
    price?: { usd_exact?: string };
    accepts?: { maxAmountRequired?: string }[];
  };
  if (price?.usd_exact) return `${price.usd_exact} USD`;
  const atomic = accepts?.[0]?.maxAmountRequired;
  return atomic ? `${atomic} atomic units` : 'none asked';
}
