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
import { BadUsage, CommandLine, oneArgument, type Streams, text } from '@evenkeel/platform/command-line';

export const LOCAL = 'http://localhost:8080';

export const VERIFY = new CommandLine({
  call: 'npm run agent -- verify-receipt',
  about: `Checks a signed receipt: that the seller signed it and, when they are given, that it speaks of this request and answer.`,
  usage: ['npm run agent -- verify-receipt <receipt> [options]'],
  parts: { 'The receipt': 'is the value of X-Evenkeel-Receipt, or a file that holds it.' },
  options: {
    url: text({ help: 'the seller, whose published keys are used', placeholder: 'address', otherwise: LOCAL }),
    jwks: text({ help: 'these keys in place of the published ones: nothing is fetched', placeholder: 'file' }),
    issuer: text({ help: 'must be the base URL that the receipt names', placeholder: 'address' }),
    request: text({ help: 'body of the request, as JSON', placeholder: 'file' }),
    answer: text({ help: 'body of the answer, byte for byte', placeholder: 'file' }),
  },
  ends: 'Ends with 0 when it holds, 1 when it does not, 2 when the command line is wrong, 3 when the keys cannot be had.',
  takesArguments: true,
  read: ({ url, jwks: keysFile, issuer, request: requestFile, answer: answerFile }, given) => {
    const receipt = oneArgument(given, {
      missing: 'Give the receipt, or a file that holds it',
      more: 'One receipt at a time',
    });
    if (url !== undefined && keysFile !== undefined) throw new BadUsage('Give --url or --jwks, not both');
    return { receipt, url: webAddress(url ?? LOCAL), keysFile, issuer, requestFile, answerFile };
  },
});

type VerifyCommand = Exclude<ReturnType<typeof VERIFY.parse>, 'help'>;

/** @throws BadUsage */
export function webAddress(url: string): string {
  const ofWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  if (!ofWeb) throw new BadUsage(`--url must be an http or https address, not ${url}`);
  return url;
}

export const WHY_NOT: Readonly<Record<ReceiptProblem, string>> = {
  malformed: 'it is no compact JWS of ES256 with all its claims.',
  unknown_key: 'the seller publishes no key of the name that it gives.',
  bad_signature: 'it was altered, or somebody else has signed it.',
  other_issuer: 'it was issued by another seller.',
  other_request: 'it is the receipt of another request.',
  other_answer: 'it is the receipt of another answer.',
};

/** The files that a receipt is compared with, where given. */
interface Against {
  request: { body: unknown } | undefined;
  answer: Uint8Array<ArrayBuffer> | undefined;
}

/**
 * @returns the exit code: 0 it holds, 1 it does not, 3 the keys cannot be had
 * @throws BadUsage
 */
export async function verifyReceipt(command: VerifyCommand, { out, err }: Streams): Promise<0 | 1 | 3> {
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

/** @param given the receipt itself, or a file that holds it */
function receiptIn(given: string): string {
  const receipt = given.startsWith('eyJ') ? given : bytesOf(given, 'The receipt').toString();
  return receipt.trim();
}

function jsonIn(file: string | undefined): Against['request'] {
  if (file === undefined) return undefined;
  const text = bytesOf(file, '--request').toString();
  return { body: readAs('--request', file, () => JSON.parse(text) as unknown) };
}

function bytesIn(file: string | undefined): Against['answer'] {
  return file === undefined ? undefined : new Uint8Array(bytesOf(file, '--answer'));
}

function keysIn(file: string): ReceiptKeys {
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

/** The claims of a receipt that holds, line by line, and what it was compared with. */
function receiptReport(
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
