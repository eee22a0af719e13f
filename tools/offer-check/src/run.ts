import { parseArgs } from 'node:util';
import { isJsonObject } from '@evenkeel/contracts';
import { compareOffers, type Comparison, type Difference } from './compare-offers';
import { Website, type Fetch } from './website';

/** Where the command writes; tests read it. */
export interface Streams {
  out: (text: string) => void;
  err: (text: string) => void;
}

/** The command line cannot be understood; the message says which part. */
class BadUsage extends Error {}

const SHOWN = 120;

const HELP = `Reads everything that a running service says about what it sells, and says where two places disagree: price, path, method,
network, asset, receiver, limits, schemas and the digest of all offers. It reads /, llms.txt, pricing, capabilities (both),
openapi.json, the x402 listings, the tools of /mcp, and the 402 of every paid endpoint, body and header. It pays nothing.

  npm run offer:check -- <base url> [options]

Options
  --public-url <url>   base that the documents should speak of, when it is not the one they are read from
  --json               the comparison as JSON
  --help               this text

Ends with 0 when everything agrees, 1 when not, 2 when something could not be read.
`;

interface CheckArguments {
  baseUrl: string;
  publicUrl: string;
  json: boolean;
}

/** @returns `help` when the text was asked for @throws BadUsage */
function readArguments(args: string[]): CheckArguments | 'help' {
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

/** The command line. @returns the exit code: 0 all agrees, 1 differences, 2 something could not be read */
export async function run(args: string[], { out, err }: Streams, request: Fetch = fetch): Promise<0 | 1 | 2> {
  try {
    const wanted = readArguments(args);
    if (wanted === 'help') {
      out(HELP);
      return 0;
    }
    const comparison = await compareOffers(new Website(wanted.baseUrl, request), wanted.publicUrl);
    out(wanted.json ? `${JSON.stringify(comparison, null, 2)}\n` : comparisonText(comparison));
    return comparison.differences.length === 0 ? 0 : 1;
  } catch (error) {
    const hint = error instanceof BadUsage ? 'See npm run offer:check -- --help\n' : '';
    err(`${(error as Error).message}\n${hint}`);
    return 2;
  }
}

/** For people: what differs, or that nothing does. */
function comparisonText({ digest, statements, documents, differences }: Comparison): string {
  if (differences.length === 0) {
    return `${statements} statements in ${documents} documents agree.\noffer digest ${digest}\n`;
  }
  const count = `${differences.length} of ${statements} statements differ from the offers in /.well-known/x402.json`;
  return `${differences.map(differenceText).join('')}\n${count} (digest ${digest}).\n`;
}

function differenceText({ where, about, fact, value, expected }: Difference): string {
  const [place, found, right] = firstDifference(value, expected);
  const subject = about === '' || where.includes(about) ? '' : `, ${about}`;
  return `${where}${subject}: ${fact}${place}\n  - ${shown(right)}\n  + ${shown(found)}\n`;
}

/** Into objects that are mostly equal: the first place where they are not. */
function firstDifference(value: unknown, expected: unknown): [place: string, value: unknown, expected: unknown] {
  if (!isJsonObject(value) || !isJsonObject(expected)) return ['', value, expected];
  const names = [...new Set([...Object.keys(expected), ...Object.keys(value)])];
  const name = names.find((one) => JSON.stringify(value[one]) !== JSON.stringify(expected[one]));
  if (name === undefined) return ['', value, expected];
  const [place, ...both] = firstDifference(value[name], expected[name]);
  return [`/${name}${place}`, ...both];
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
