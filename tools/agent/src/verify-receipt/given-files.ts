import { readFileSync } from 'node:fs';
import { readReceiptKeys, type ReceiptKeys } from '@evenkeel/client';
import { BadUsage } from '../bad-usage';

/** What a receipt is compared with, where it was given. */
export interface Against {
  request: { body: unknown } | undefined;
  answer: Uint8Array<ArrayBuffer> | undefined;
}

/** @param given the receipt itself, or a file that holds it */
export function receiptIn(given: string): string {
  const receipt = given.startsWith('eyJ') ? given : bytesOf(given, 'The receipt').toString();
  return receipt.trim();
}

export function jsonIn(file: string | undefined): Against['request'] {
  if (file === undefined) return undefined;
  const text = bytesOf(file, '--request').toString();
  return { body: readAs('--request', file, () => JSON.parse(text) as unknown) };
}

export function bytesIn(file: string | undefined): Against['answer'] {
  return file === undefined ? undefined : new Uint8Array(bytesOf(file, '--answer'));
}

export function keysIn(file: string): ReceiptKeys {
  return readAs('--jwks', file, () => readReceiptKeys(readFileSync(file, 'utf8')));
}

function bytesOf(file: string, what: string): Buffer {
  return readAs(what, file, () => readFileSync(file));
}

/** @throws BadUsage that names the file and what it was given for */
function readAs<Value>(what: string, file: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new BadUsage(`${what} ${file}: ${(error as Error).message}`);
  }
}
