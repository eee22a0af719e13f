import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RECEIPT_HEADER } from '@evenkeel/client';
import type { PaidCall } from './pay-for';

/** Keeps what a receipt is checked against, byte for byte; of a call that was not answered, the request alone. */
export function savePurchase(folder: string, { sent, received, headers }: PaidCall): void {
  const files = { 'request.json': sent, 'answer.json': received, 'receipt.jws': headers.get(RECEIPT_HEADER) };
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    if (text !== undefined && text !== null) writeFileSync(join(folder, name), text);
  }
}
