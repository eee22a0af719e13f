import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { keptSecret } from '@evenkeel/platform/config';

/** Keys of stored answers for a local run: stored with the data that they decrypt. */
export function localAnswerKeys(dataDir: string): string {
  return madeOnce(dataDir, 'answer.keys');
}

/** Keys of receipts for a local run: what was signed by one run verifies in the next. */
export function localReceiptKeys(dataDir: string): string {
  return madeOnce(dataDir, 'receipt.keys');
}

/** Keys of access tokens for a local run: who signed in before a restart stays signed in. */
export function localAccessKeys(dataDir: string): string {
  return madeOnce(dataDir, 'access.keys');
}

/** Keys that refresh tokens are derived with, for a local run. */
export function localRefreshKeys(dataDir: string): string {
  return madeOnce(dataDir, 'refresh.keys');
}

function madeOnce(dataDir: string, name: string): string {
  return keptSecret(join(dataDir, name), () => `local:${randomBytes(32).toString('base64')}`);
}
