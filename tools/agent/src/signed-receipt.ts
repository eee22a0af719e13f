import type { PaidCall } from './pay-for';
import { WHY_NOT } from './verify-receipt/why-not';

/** What is to be said of the signed receipt of a call; null when it has none. */
export async function saidOfReceipt(call: PaidCall): Promise<string | null> {
  try {
    const verdict = await call.verdict();
    if (!verdict) return null;
    return verdict.holds ? `receipt holds, key ${verdict.kid}` : `receipt does not hold: ${WHY_NOT[verdict.problem]}`;
  } catch (error) {
    return `receipt not checked, the keys cannot be had: ${(error as Error).message}`;
  }
}
