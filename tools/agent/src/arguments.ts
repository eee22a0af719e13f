import { PAID_ENDPOINTS, type Operation } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import { BadUsage, choice, CommandLine, oneArgument, oneOf, text } from '@evenkeel/platform/command-line';
import type { Hex } from 'viem';
import { CLIENT_KINDS, type ClientKind } from './pay-for';

const LOCAL = 'http://localhost:8080';
const OPERATIONS = PAID_ENDPOINTS.map(({ operation }) => operation);

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

export const CALL = new CommandLine({
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
  read: ({ url, client, body, save, walletKey }, given): Command => {
    const operation = oneArgument(given, {
      missing: `Name an operation: ${OPERATIONS.join(', ')}`,
      more: 'One operation at a time',
    });
    return {
      operation: oneOf(OPERATIONS, operation, 'The operation'),
      url: webAddress(url),
      client,
      bodyFile: body,
      saveIn: save,
      walletKey: walletKey as Hex | undefined,
    };
  },
});

export interface VerifyCommand {
  /** The receipt itself, or a file that holds it. */
  receipt: string;
  /** The seller whose keys count. */
  url: string;
  /** Key set, in place of the one that the seller publishes. */
  keysFile?: string;
  issuer?: string;
  requestFile?: string;
  answerFile?: string;
}

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
  read: ({ url, jwks: keysFile, issuer, request: requestFile, answer: answerFile }, given): VerifyCommand => {
    const receipt = oneArgument(given, {
      missing: 'Give the receipt, or a file that holds it',
      more: 'One receipt at a time',
    });
    if (url !== undefined && keysFile !== undefined) throw new BadUsage('Give --url or --jwks, not both');
    return { receipt, url: webAddress(url ?? LOCAL), keysFile, issuer, requestFile, answerFile };
  },
});

function webAddress(url: string): string {
  const ofWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  if (!ofWeb) throw new BadUsage(`--url must be an http or https address, not ${url}`);
  return url;
}
