import { BadUsage } from '../bad-usage';
import { parseOptions, readUrl } from '../parse-options';

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

export const VERIFY_HELP = `Checks a signed receipt: that the seller signed it and, when they are given, that it speaks of this request and answer.

  npm run agent -- verify-receipt <receipt> [options]

The receipt is the value of X-Evenkeel-Receipt, or a file that holds it.

Options
  --url <address>     the seller, whose published keys count (http://localhost:8080)
  --jwks <file>       these keys in place of the published ones: nothing is fetched
  --issuer <address>  must be the base URL that the receipt names
  --request <file>    body of the request, as JSON
  --answer <file>     body of the answer, byte for byte
  --help              this text

Ends with 0 when it holds, 1 when it does not, 2 when the command line is wrong, 3 when the keys cannot be had.
`;

const text = { type: 'string' } as const;
const OPTIONS = {
  url: text,
  jwks: text,
  issuer: text,
  request: text,
  answer: text,
  help: { type: 'boolean' },
} as const;

/**
 * @param args what follows the name of the command
 * @returns `help` when the text was asked for
 * @throws BadUsage
 */
export function readVerifyArguments(args: string[]): VerifyCommand | 'help' {
  const { values, positionals } = parseOptions(args, OPTIONS);
  if (values.help) return 'help';
  const [receipt, ...more] = positionals;
  if (receipt === undefined) throw new BadUsage('Give the receipt, or a file that holds it');
  if (more.length > 0) throw new BadUsage(`One receipt at a time, not also: ${more.join(' ')}`);
  const { url, jwks: keysFile, issuer, request: requestFile, answer: answerFile } = values;
  if (url !== undefined && keysFile !== undefined) throw new BadUsage('Give --url or --jwks, not both');
  return { receipt, url: readUrl(url ?? 'http://localhost:8080'), keysFile, issuer, requestFile, answerFile };
}
