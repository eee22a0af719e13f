import { PAID_ENDPOINTS, type Operation } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import type { Hex } from 'viem';
import { BadUsage } from './bad-usage';
import { parseOptions, readUrl } from './parse-options';
import { CLIENT_KINDS, type ClientKind } from './pay-for';

export interface Command {
  operation: Operation;
  url: string;
  client: ClientKind;
  /** File with the request; the sample of the operation without it. */
  bodyFile?: string;
  /** Folder for request, answer and signed receipt. */
  saveIn?: string;
  /** In place of the key in DATA_DIR. */
  walletKey?: Hex;
}

const text = { type: 'string' } as const;
const OPTIONS = {
  url: text,
  client: text,
  body: text,
  save: text,
  'wallet-key': text,
  help: { type: 'boolean' },
} as const;

const OPERATIONS = PAID_ENDPOINTS.map(({ operation }) => operation);

export const HELP = `Calls a paid operation of the service and pays for it, as an agent would.

  npm run agent -- <operation> [options]
  npm run agent -- verify-receipt <receipt> [options]       checks a signed receipt; has a --help of its own

Operations
${PAID_ENDPOINTS.map(({ operation, title, priceMicros }) => `  ${operation.padEnd(14)}${title} (${usdAmount(priceMicros).usd.toFixed(2)} USD)`).join('\n')}

Options
  --url <address>     where the service is (http://localhost:8080)
  --client <kind>     library that pays: v1 (x402-fetch), v2 (@x402/fetch), v2-only (without version 1 schemes) (v2)
  --body <file>       request as JSON (tools/agent/samples/<operation>.json)
  --save <folder>     keep request.json, answer.json and receipt.jws there, for verify-receipt
  --wallet-key <key>  private key, 0x and 64 hex digits (DATA_DIR/agent.key, made at the first call)
  --help              this text

Ends with 0 when the call was paid and answered, 1 when it was not, 2 when the command line is wrong.
`;

/**
 * @param args what follows the name of the program
 * @returns `help` when the text was asked for
 * @throws BadUsage
 */
export function readArguments(args: string[]): Command | 'help' {
  const { values, positionals } = parseOptions(args, OPTIONS);
  if (values.help) return 'help';
  const { url = 'http://localhost:8080', client = 'v2', body, save, 'wallet-key': walletKey } = values;
  return {
    operation: readOperation(positionals),
    url: readUrl(url),
    client: oneOf(CLIENT_KINDS, client, '--client'),
    bodyFile: body,
    saveIn: save,
    walletKey: walletKey === undefined ? undefined : readKey(walletKey),
  };
}

function readOperation([operation, ...more]: string[]): Operation {
  if (operation === undefined) throw new BadUsage(`Name an operation: ${OPERATIONS.join(', ')}`);
  if (more.length > 0) throw new BadUsage(`One operation at a time, not also: ${more.join(' ')}`);
  return oneOf(OPERATIONS, operation, 'The operation');
}

function oneOf<Choice extends string>(choices: readonly Choice[], value: string, what: string): Choice {
  const choice = choices.find((one) => one === value);
  if (choice === undefined) throw new BadUsage(`${what} must be one of ${choices.join(', ')}, not ${value}`);
  return choice;
}

function readKey(key: string): Hex {
  if (!/^0x[0-9a-f]{64}$/i.test(key)) throw new BadUsage('--wallet-key must be 0x and 64 hex digits');
  return key as Hex;
}
