import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RECEIPT_HEADER } from '@evenkeel/client';
import { type AgentErrorBody, PAID_ENDPOINTS } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import { Argument, Command, Option, runCommand, type Streams, type TypedFor } from '@evenkeel/platform/command-line';
import { type Environment, keptSecret, loadConfig } from '@evenkeel/platform/config';
import { IsString } from 'class-validator';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { CLIENT_KINDS, endpointOf, type PaidCall, payFor, signedIn, statusAddress } from './pay-for';
import { inFile, LOCAL, VERIFY, verifyReceipt, webAddress, WHY_NOT } from './verify-receipt';

const OPERATIONS = PAID_ENDPOINTS.map(({ operation }) => operation);

const CALL = new Command('npm run agent --')
  .description('Calls a paid operation of the service and pays for it, as an agent would.')
  .addArgument(new Argument('<operation>', 'what to buy').choices(OPERATIONS))
  .option('--url <address>', 'where the service is', webAddress, LOCAL)
  .addOption(
    new Option(
      '--client <kind>',
      'library that pays: v1 (x402-fetch), v2 (@x402/fetch), v2-only (without version 1 schemes)',
    )
      .choices(CLIENT_KINDS)
      .default('v2' as const),
  )
  .option('--body <file>', 'request as JSON; by default a sample')
  .option('--save <folder>', 'keep request.json, answer.json and receipt.jws for verify-receipt')
  .addHelpText(
    'after',
    `
Operations:
${PAID_ENDPOINTS.map(({ operation, title, priceMicros }) => {
  return `  ${operation.padEnd(14)}${title} (${usdAmount(priceMicros).usd.toFixed(2)} USD)`;
}).join('\n')}

npm run agent -- verify-receipt <receipt> checks a signed receipt, and has a --help of its own.

Environment:
  DATA_DIR  where agent.key is, the private key of the wallet, made at the first call (.data)

Ends with 0 when the call was paid and answered, 1 when it was not, 2 when the command line is wrong.`,
  );

type Call = TypedFor<typeof CALL>;

class AgentConfig {
  @IsString() DATA_DIR = '.data';
}

/** The command line. @returns the exit code, as the help of each command explains it */
export function run(args: string[], env: Environment, streams: Streams): Promise<number> {
  const [name, ...rest] = args;
  if (name === 'verify-receipt') return runCommand(VERIFY, rest, streams, verifyReceipt);
  return runCommand(CALL, args, streams, (command, safe) => call(command, env, safe));
}

async function call(command: Call, env: Environment, { out, err }: Streams): Promise<0 | 1> {
  const {
    url,
    client,
    save,
    args: [operation],
  } = command;
  const body = requestBody(command);
  if (save !== undefined) assertWritable(save);
  const { DATA_DIR } = loadConfig(AgentConfig, env);
  const privateKey = walletKeyIn(join(DATA_DIR, 'agent.key'));
  out(`Call         POST ${new URL(endpointOf(operation).path, url).href}\n`);
  out(`Wallet       ${privateKeyToAddress(privateKey)}, client ${client}\n`);

  // At once: who ends the call while it waits can still ask what became of the payment.
  const onPayment = ({ nonce }: { nonce: string }): void => out(`Payment      nonce ${nonce}\n`);
  const paidCall = await payFor({ url, operation, body, client, privateKey, onPayment });
  const { status, receipt } = paidCall;
  // Answered, and the seller has the money or will have it.
  const isPaid = status === 200 && receipt?.success === true;
  const { error = 'no reason given', message = '', details } = Object(paidCall.body) as Partial<AgentErrorBody>;
  // Another call would sign another payment: "not paid" is said only where it is certain.
  const open = !isPaid && details?.charged !== false ? paidCall.payment : undefined;
  const outcome = isPaid ? '' : open ? ' (perhaps paid)' : ' (not paid)';
  out(`Price        ${priceOf(paidCall)}\nStatus       ${status}${outcome}\n`);
  if (receipt) {
    out(`Transaction  ${receipt.transaction || 'none yet'}\nReceipt      ${JSON.stringify(receipt)}\n`);
  }
  out(await signedReceipt(paidCall));
  out(`\n${typeof paidCall.body === 'string' ? paidCall.body : JSON.stringify(paidCall.body, null, 2)}\n`);
  if (isPaid) {
    if (save !== undefined) savePurchase(save, paidCall);
    return 0;
  }
  err(`${open ? 'Perhaps paid' : 'Not paid'}: ${status} ${error}${message && `, ${message}`}\n`);
  if (open) err(`${statusAddress(open, url)} says what became of the payment.\n`);
  return 1;
}

/** A habit that goes well, and one that needs help. */
const HABITS = [
  {
    name: 'Morning run',
    completion_rate: 0.82,
    current_streak: 9,
    best_streak: 21,
    average_mood: 7.2,
    mood_correlation: 0.41,
    energy_trend: 'rising',
  },
  {
    name: 'Read 20 minutes',
    completion_rate: 0.46,
    current_streak: 0,
    best_streak: 12,
    energy_trend: 'falling',
    risk_score: 0.7,
  },
];

/**
 * The request to send: the file named on the command line, else a sample.
 * @throws InvalidArgumentError when the file cannot be read or is not JSON
 */
function requestBody({ body, args: [operation] }: Call): unknown {
  if (body !== undefined) return inFile('--body', body, (bytes): unknown => JSON.parse(String(bytes)));
  const { exampleInput } = endpointOf(operation);
  return 'habits' in exampleInput ? { habits: HABITS } : exampleInput;
}

/** The amount that was signed: what else the seller says of its price proves nothing. */
function priceOf({ payment }: PaidCall): string {
  return payment === undefined ? 'none asked' : `${usdAmount(Number(signedIn(payment).value)).usd_exact} USD`;
}

const KEPT = { request: 'request.json', answer: 'answer.json', receipt: 'receipt.jws' } as const;

/** Before anything is paid. @throws Error when a purchase could not be kept in the folder */
function assertWritable(folder: string): void {
  mkdirSync(folder, { recursive: true });
  accessSync(folder, constants.W_OK);
  const there = Object.values(KEPT).map((name) => join(folder, name));
  for (const file of there.filter(existsSync)) closeSync(openSync(file, 'r+'));
}

/** Keeps what a receipt is checked against, byte for byte. What the answer lacks does not stay there from an earlier one. */
function savePurchase(folder: string, { sent, received, headers }: PaidCall): void {
  const files = {
    [KEPT.request]: sent,
    [KEPT.answer]: received,
    [KEPT.receipt]: headers.get(RECEIPT_HEADER),
  };
  for (const [name, content] of Object.entries(files)) {
    if (typeof content === 'string') writeFileSync(join(folder, name), content);
    else rmSync(join(folder, name), { force: true });
  }
}

/** A line on the signed receipt of a call; empty when it has none. */
async function signedReceipt(call: PaidCall): Promise<string> {
  const found = await call.verdict().catch((error: Error) => error);
  if (found === null) return '';
  if (found instanceof Error) return `Signed       receipt not checked, the keys cannot be had: ${found.message}\n`;
  return `Signed       receipt ${found.holds ? `holds, key ${found.kid}` : `does not hold: ${WHY_NOT[found.problem]}`}\n`;
}

/** @throws Error when the file holds something else */
function walletKeyIn(file: string): Hex {
  const key = keptSecret(file, generatePrivateKey);
  if (!/^0x[0-9a-f]{64}$/i.test(key)) throw new Error(`${file} holds no wallet key. Remove it to get a new wallet.`);
  return key as Hex;
}
