import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RECEIPT_HEADER } from '@evenkeel/client';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import {
  BadUsage,
  choice,
  CommandLine,
  oneArgument,
  oneOf,
  runCommand,
  type Streams,
  text,
} from '@evenkeel/platform/command-line';
import { type Environment, keptSecret, loadConfig } from '@evenkeel/platform/config';
import { IsString } from 'class-validator';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { CLIENT_KINDS, endpointUrl, type PaidCall, payFor } from './pay-for';
import { LOCAL, VERIFY, verifyReceipt, webAddress, WHY_NOT } from './verify-receipt';

const OPERATIONS = PAID_ENDPOINTS.map(({ operation }) => operation);

const CALL = new CommandLine({
  call: 'npm run agent',
  about: 'Calls a paid operation of the service and pays for it, as an agent would.',
  usage: [
    'npm run agent -- <operation> [options]',
    'npm run agent -- verify-receipt <receipt> [options]       checks a signed receipt; has a --help of its own',
  ],
  parts: {
    Operations: PAID_ENDPOINTS.map(
      ({ operation, title, priceMicros }) =>
        `${operation.padEnd(14)}${title} (${usdAmount(priceMicros).usd.toFixed(2)} USD)`,
    ).join('\n'),
  },
  options: {
    url: text({ help: 'where the service is', placeholder: 'address', fallback: LOCAL }),
    client: choice({
      help: 'library that pays: v1 (x402-fetch), v2 (@x402/fetch), v2-only (without version 1 schemes)',
      placeholder: 'kind',
      of: CLIENT_KINDS,
      fallback: 'v2',
    }),
    body: text({ help: 'request as JSON (tools/agent/samples/<operation>.json)', placeholder: 'file' }),
    save: text({
      help: 'keep request.json, answer.json and receipt.jws there, for verify-receipt',
      placeholder: 'folder',
    }),
    walletKey: text({
      help: 'private key, 0x and 64 hex digits (DATA_DIR/agent.key, made at the first call)',
      placeholder: 'key',
      matches: /^0x[0-9a-f]{64}$/i,
      must: 'be 0x and 64 hex digits',
    }),
  },
  ends: 'Ends with 0 when the call was paid and answered, 1 when it was not, 2 when the command line is wrong.',
  takesArguments: true,
  read: ({ url, client, body, save, walletKey }, given) => {
    const operation = oneArgument(given, {
      missing: `Name an operation: ${OPERATIONS.join(', ')}`,
      more: 'One operation at a time',
    });
    return {
      operation: oneOf(OPERATIONS, operation, 'The operation'),
      url: webAddress(url),
      client,
      body,
      save,
      walletKey: walletKey as Hex | undefined,
    };
  },
});

type Command = Exclude<ReturnType<typeof CALL.parse>, 'help'>;

/** Everything the agent reads from the environment. */
class AgentConfig {
  /** Where the wallet key is kept. */
  @IsString() DATA_DIR = '.data';
}

/** The command line. @returns the exit code, as the help of each command explains it */
export function run(args: string[], env: Environment, streams: Streams): Promise<number> {
  const [name, ...rest] = args;
  if (name === 'verify-receipt') return runCommand(VERIFY, rest, streams, verifyReceipt);
  return runCommand(CALL, args, streams, (command, safe) => call(command, env, safe));
}

/**
 * The request to send: the file named on the command line, else the sample of the operation.
 * @throws BadUsage when the file cannot be read or is not JSON
 */
function requestBody({ operation, body }: Command): unknown {
  const file = body ?? join(__dirname, '..', 'samples', `${operation}.json`);
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new BadUsage(`--body ${file}: ${(error as Error).message}`);
  }
}

async function call(command: Command, env: Environment, { out, err }: Streams): Promise<0 | 1> {
  const { operation, url, client } = command;
  const body = requestBody(command);
  const { DATA_DIR } = loadConfig(AgentConfig, env);
  const privateKey = command.walletKey ?? walletKeyIn(join(DATA_DIR, 'agent.key'));
  out(`Call         POST ${endpointUrl(url, operation)}\n`);
  out(`Wallet       ${privateKeyToAddress(privateKey)}, client ${client}\n`);

  const paidCall = await payFor({ url, operation, body, client, privateKey });
  out(reportOf(paidCall, await describeReceipt(paidCall)));
  if (command.save !== undefined) savePurchase(command.save, paidCall);
  if (isPaid(paidCall)) return 0;
  err(`${refusalOf(paidCall)}\n`);
  return 1;
}

/** Answered, and the seller has the money or will have it. */
function isPaid({ status, receipt }: PaidCall): boolean {
  return status === 200 && receipt?.success === true;
}

/**
 * The report on a call, line by line, then the answer itself.
 * @param signed the sentence on its signed receipt
 */
function reportOf(call: PaidCall, signed: string | null): string {
  const { status, receipt, body } = call;
  const lines = [`Price        ${priceOf(call)}`, `Status       ${status}${isPaid(call) ? '' : ' (not paid)'}`];
  if (receipt)
    lines.push(`Transaction  ${receipt.transaction || 'none yet'}`, `Receipt      ${JSON.stringify(receipt)}`);
  if (signed !== null) lines.push(`Signed       ${signed}`);
  const text = typeof body === 'string' ? body : JSON.stringify(body, null, 2);
  return `${lines.join('\n')}\n\n${text}\n`;
}

/** The service's own word for why not, for the error stream. */
function refusalOf({ status, body }: PaidCall): string {
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

/** Keeps what a receipt is checked against, byte for byte; of a call that was not answered, the request alone. */
function savePurchase(folder: string, { sent, received, headers }: PaidCall): void {
  const files = { 'request.json': sent, 'answer.json': received, 'receipt.jws': headers.get(RECEIPT_HEADER) };
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    if (text !== undefined && text !== null) writeFileSync(join(folder, name), text);
  }
}

/** A sentence on the signed receipt of a call; null when it has none. */
async function describeReceipt(call: PaidCall): Promise<string | null> {
  try {
    const verdict = await call.verdict();
    if (!verdict) return null;
    return verdict.holds ? `receipt holds, key ${verdict.kid}` : `receipt does not hold: ${WHY_NOT[verdict.problem]}`;
  } catch (error) {
    return `receipt not checked, the keys cannot be had: ${(error as Error).message}`;
  }
}

/**
 * The agent's wallet.
 * @throws Error when the file holds something else
 */
function walletKeyIn(file: string): Hex {
  const key = keptSecret(file, generatePrivateKey);
  if (!/^0x[0-9a-f]{64}$/i.test(key)) throw new Error(`${file} holds no wallet key. Remove it to get a new wallet.`);
  return key as Hex;
}
