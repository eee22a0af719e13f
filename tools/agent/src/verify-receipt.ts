import { readFileSync } from 'node:fs';
import {
  checkReceipt,
  fetchReceiptKeys,
  readReceiptKeys,
  type ReceiptKeys,
  type ReceiptProblem,
  receiptKeysUrl,
  type ReceiptVerdict,
} from '@evenkeel/client';
import { Command, InvalidArgumentError, type Streams, type TypedFor } from '@evenkeel/platform/command-line';

export const LOCAL = 'http://localhost:8080';

export const VERIFY = new Command('npm run agent -- verify-receipt')
  .description(
    'Checks a signed receipt: that the seller signed it and, when they are given, that it speaks of this request and answer.',
  )
  .argument('<receipt>', 'the value of X-Evenkeel-Receipt, or a file that holds it')
  .option('--url <address>', 'the seller, whose published keys are used', webAddress, LOCAL)
  .option('--jwks <file>', 'these keys in place of the published ones: nothing is fetched')
  .option('--request <file>', 'body of the request, as JSON')
  .option('--answer <file>', 'body of the answer, byte for byte')
  .addHelpText(
    'after',
    '\nEnds with 0 when it holds, 1 when it does not, 2 when the command line is wrong, 3 when the keys cannot be had.',
  );

/** Scheme, host and port: what is called lies at the top of the host. @throws InvalidArgumentError */
export function webAddress(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return new URL(url).origin;
  throw new InvalidArgumentError('It must be an http or https address.');
}

export const WHY_NOT: Readonly<Record<ReceiptProblem, string>> = {
  malformed: 'it is no compact JWS of ES256 with all its claims.',
  unknown_key: 'the seller publishes no key of the name that it gives.',
  bad_signature: 'it was altered, or somebody else has signed it.',
  other_issuer: 'it was issued by another seller.',
  other_request: 'it is the receipt of another request.',
  other_answer: 'it is the receipt of another answer.',
};

/**
 * @returns the exit code: 0 it holds, 1 it does not, 3 the keys cannot be had
 * @throws InvalidArgumentError
 */
export async function verifyReceipt(command: TypedFor<typeof VERIFY>, { out, err }: Streams): Promise<0 | 1 | 3> {
  const {
    url,
    jwks,
    request,
    answer,
    args: [named],
  } = command;
  const receipt = named.startsWith('eyJ') ? named : inFile('The receipt', named, String);
  const body = inFile('--request', request, (bytes): unknown => JSON.parse(String(bytes)));
  const bytes = inFile('--answer', answer, (content) => new Uint8Array(content));
  const given = inFile('--jwks', jwks, (content) => readReceiptKeys(String(content)));
  let verdict: ReceiptVerdict;
  try {
    const keys = given ?? (await fetchReceiptKeys(receiptKeysUrl(url)));
    verdict = await verdictOn(receipt.trim(), keys, bytes, request === undefined ? undefined : { body });
  } catch (error) {
    const { message, cause } = error as Error;
    // Node hides why a connection failed behind "fetch failed".
    const reason = (cause as { code?: string } | undefined)?.code ?? message;
    err(`The keys of ${jwks ?? url} cannot be had: ${reason}\nName the seller with --url, or keys with --jwks.\n`);
    return 3;
  }
  if (verdict.holds) out(receiptReport(verdict, command));
  else err(`The receipt does not hold: ${WHY_NOT[verdict.problem]}\n`);
  return verdict.holds ? 0 : 1;
}

async function verdictOn(
  receipt: string,
  keys: ReceiptKeys,
  answer: Uint8Array<ArrayBuffer> | undefined,
  request: { body: unknown } | undefined,
): Promise<ReceiptVerdict> {
  const signed = await checkReceipt(receipt, keys, { answer });
  if (!signed.holds || !request) return signed;
  // Which path the body was sent to is for the receipt to say: the body alone is kept in a file.
  const { endpoint: path } = signed.claims;
  return checkReceipt(receipt, keys, { request: { method: 'POST', path, body: request.body } });
}

/** @throws InvalidArgumentError that names the file and what it was given for */
export function inFile<Content>(what: string, file: string, read: (bytes: Buffer) => Content): Content;
export function inFile<Content>(
  what: string,
  file: string | undefined,
  read: (bytes: Buffer) => Content,
): Content | undefined;
export function inFile<Content>(what: string, file: string | undefined, read: (bytes: Buffer) => Content) {
  try {
    return file === undefined ? undefined : read(readFileSync(file));
  } catch (error) {
    throw new InvalidArgumentError(`${what} ${file}: ${(error as Error).message}`);
  }
}

/** The claims of a receipt that holds, line by line, and what it was compared with. */
function receiptReport(
  { kid, claims }: Extract<ReceiptVerdict, { holds: true }>,
  { request, answer }: Pick<TypedFor<typeof VERIFY>, 'request' | 'answer'>,
): string {
  const facts = {
    Receipt: `holds, signed with the key ${kid}`,
    Seller: claims.iss,
    Signed: new Date(claims.iat * 1_000).toISOString(),
    Purchase: claims.jti,
    Call: `${claims.endpoint}, engine ${claims.engine_version}`,
    Price: `${claims.amount_atomic} atomic units of ${claims.asset} on ${claims.network}`,
    Payer: claims.payer,
    'Paid to': claims.pay_to,
    Payment: claims.nonce === null ? `${claims.status}, with a credit` : `${claims.status}, nonce ${claims.nonce}`,
    Request: request === undefined ? 'not compared (--request)' : `that of ${request}`,
    Answer: answer === undefined ? 'not compared (--answer)' : `that of ${answer}`,
  };
  const lines = Object.entries(facts).map(([name, fact]) => `${name.padEnd(13)}${fact}\n`);
  return lines.join('');
}
