import { parseArgs } from 'node:util';
import { BadUsage } from '../operations/bad-usage';

export const CHECK_HELP = `Reads everything that a running service says about what it sells, and says where two places disagree: price, path, method,
network, asset, receiver, limits, schemas and the digest of all offers. It reads /, llms.txt, pricing, capabilities (both),
openapi.json, the x402 listings, the tools of /mcp, and the 402 of every paid endpoint, body and header. It pays nothing.

  npm run offer:check -- <base url> [options]

Options
  --public-url <url>   base that the documents should speak of, when it is not the one they are read from
  --json               the comparison as JSON
  --help               this text

Ends with 0 when everything agrees, 1 when not, 2 when something could not be read.
`;

export interface CheckArguments {
  baseUrl: string;
  publicUrl: string;
  json: boolean;
}

/** @returns `help` when the text was asked for @throws BadUsage */
export function readCheckArguments(args: string[]): CheckArguments | 'help' {
  const { values, positionals } = parse(args);
  if (values.help) return 'help';
  const [first, ...more] = positionals;
  if (first === undefined || more.length > 0) throw new BadUsage('one base URL is needed');
  const baseUrl = baseOf(first);
  const publicUrl = values['public-url'];
  return { baseUrl, publicUrl: publicUrl === undefined ? baseUrl : baseOf(publicUrl), json: values.json ?? false };
}

function baseOf(text: string): string {
  if (!/^https?:\/\/[^\s/?#]+\/?$/.test(text)) throw new BadUsage(`${text} must be an http(s) address without a path`);
  return text.replace(/\/$/, '');
}

function parse(args: string[]) {
  const options = { 'public-url': { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean' } } as const;
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    // Node adds advice about its own syntax after the first sentence.
    throw new BadUsage((error as Error).message.split('. ')[0]);
  }
}
