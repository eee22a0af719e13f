import {
  checkReceipt,
  fetchReceiptKeys,
  receiptKeysUrl,
  type ReceiptKeys,
  type ReceiptVerdict,
} from '@evenkeel/client';
import { BadUsage } from '../bad-usage';
import type { Streams } from '../streams';
import { bytesIn, jsonIn, keysIn, receiptIn, type Against } from './given-files';
import { receiptReport } from './receipt-report';
import { readVerifyArguments, VERIFY_HELP, type VerifyCommand } from './verify-arguments';
import { WHY_NOT } from './why-not';

/**
 * @returns the exit code: 0 it holds, 1 it does not, 3 the keys cannot be had
 * @throws BadUsage
 */
export async function verifyReceipt(args: string[], { out, err }: Streams): Promise<0 | 1 | 3> {
  const command = readVerifyArguments(args);
  if (command === 'help') {
    out(VERIFY_HELP);
    return 0;
  }
  const receipt = receiptIn(command.receipt);
  const against = { request: jsonIn(command.requestFile), answer: bytesIn(command.answerFile) };
  let keys: ReceiptKeys;
  try {
    keys = await keysFor(command);
  } catch (error) {
    if (error instanceof BadUsage) throw error;
    err(
      `The keys of ${command.url} cannot be had: ${reasonOf(error as Error)}\nName the seller with --url, or keys with --jwks.\n`,
    );
    return 3;
  }
  const verdict = await verdictOn(receipt, keys, command, against);
  if (verdict.holds) {
    out(receiptReport(verdict, command));
    return 0;
  }
  err(`The receipt does not hold: ${WHY_NOT[verdict.problem]}\n`);
  return 1;
}

async function verdictOn(
  receipt: string,
  keys: ReceiptKeys,
  { issuer }: VerifyCommand,
  { request, answer }: Against,
): Promise<ReceiptVerdict> {
  const signed = await checkReceipt(receipt, keys, { issuer, answer });
  if (!signed.holds || !request) return signed;
  // Which path the body was sent to is for the receipt to say: the body alone is kept in a file.
  const { endpoint: path } = signed.claims;
  return checkReceipt(receipt, keys, { request: { method: 'POST', path, body: request.body } });
}

function keysFor({ url, keysFile }: VerifyCommand): ReceiptKeys | Promise<ReceiptKeys> {
  return keysFile === undefined ? fetchReceiptKeys(receiptKeysUrl(url)) : keysIn(keysFile);
}

/** Node hides why a connection failed behind "fetch failed". */
function reasonOf(error: Error): string {
  return (error.cause as { code?: string } | undefined)?.code ?? error.message;
}
