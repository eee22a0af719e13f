import type { ReceiptVerdict } from '@evenkeel/client';
import type { VerifyCommand } from './verify-arguments';

/** What a receipt that holds says, line by line, and what it was compared with. */
export function receiptReport(
  { kid, claims }: Extract<ReceiptVerdict, { holds: true }>,
  { requestFile, answerFile }: Pick<VerifyCommand, 'requestFile' | 'answerFile'>,
): string {
  const { iss, iat, jti, endpoint, engine_version: engine, amount_atomic: amount, asset, network } = claims;
  return lines({
    Receipt: `holds, signed with the key ${kid}`,
    Seller: iss,
    Signed: new Date(iat * 1_000).toISOString(),
    Purchase: jti,
    Call: `${endpoint}, engine ${engine}`,
    Price: `${amount} atomic units of ${asset} on ${network}`,
    Payer: claims.payer,
    'Paid to': claims.pay_to,
    Payment: claims.nonce === null ? `${claims.status}, with a credit` : `${claims.status}, nonce ${claims.nonce}`,
    Request: requestFile === undefined ? 'not compared (--request)' : `that of ${requestFile}`,
    Answer: answerFile === undefined ? 'not compared (--answer)' : `that of ${answerFile}`,
  });
}

function lines(facts: Readonly<Record<string, string>>): string {
  return Object.entries(facts)
    .map(([name, fact]) => `${name.padEnd(13)}${fact}\n`)
    .join('');
}
