import { isJsonObject } from '@evenkeel/contracts';
import {
  BadUsage,
  CommandLine,
  flag,
  oneArgument,
  runCommand,
  text,
  type Streams,
} from '@evenkeel/platform/command-line';
import { compareOffers, type Comparison } from './compare-offers';
import type { Fetch } from './documents';

const OFFER_CHECK = new CommandLine({
  call: 'npm run offer:check',
  about: `Reads everything that a running service says about what it sells, and says where two places disagree: price, path, method,
network, asset, receiver, limits, schemas and the digest of all offers. It reads /, llms.txt, pricing, capabilities (both),
openapi.json, the x402 listings, the tools of /mcp, and the 402 of every paid endpoint, body and header. It pays nothing.`,
  usage: ['npm run offer:check -- <base url> [options]'],
  options: {
    publicUrl: text({
      placeholder: 'url',
      help: 'base that the documents should speak of, when it is not the one they are read from',
    }),
    json: flag('the comparison as JSON'),
  },
  takesArguments: true,
  ends: 'Ends with 0 when everything agrees, 1 when not, 2 when something could not be read.',
  read: ({ publicUrl, json }, given) => {
    const baseUrl = baseOf(oneArgument(given, { missing: 'one base URL is needed', more: 'one base URL is enough' }));
    return { baseUrl, publicUrl: publicUrl === undefined ? baseUrl : baseOf(publicUrl), json };
  },
});

function baseOf(address: string): string {
  if (/^https?:\/\/[^\s/?#]+\/?$/.test(address)) return address.replace(/\/$/, '');
  throw new BadUsage(`${address} must be an http(s) address without a path`);
}

/** The command line. @returns the exit code: 0 all agrees, 1 differences, 2 something could not be read */
export function run(args: string[], streams: Streams, request: Fetch = fetch): Promise<number> {
  const check = async (wanted: { baseUrl: string; publicUrl: string; json: boolean }, { out }: Streams) => {
    const comparison = await compareOffers(wanted.baseUrl, wanted.publicUrl, request);
    out(wanted.json ? `${JSON.stringify(comparison, null, 2)}\n` : comparisonText(comparison));
    return comparison.differences.length === 0 ? 0 : 1;
  };
  return runCommand(OFFER_CHECK, args, streams, check, { badUsage: 2, failed: 2 });
}

/** For people: what differs, or that nothing does. */
function comparisonText({ digest, statements, documents, differences }: Comparison): string {
  if (differences.length === 0) {
    return `${statements} statements in ${documents} documents agree.\noffer digest ${digest}\n`;
  }
  const lines = differences.map(({ where, about, fact, value, expected }) => {
    const [place, found, right] = firstDifference(value, expected);
    const subject = about === undefined || where.includes(about) ? '' : `, ${about}`;
    return `${where}${place}${subject}: ${fact}\n  - ${shown(right)}\n  + ${shown(found)}\n`;
  });
  const count = `${differences.length} of ${statements} statements differ from the offers in /.well-known/x402.json`;
  return `${lines.join('')}\n${count} (digest ${digest}).\n`;
}

/** Into objects that are mostly equal: the first place where they are not. */
function firstDifference(value: unknown, expected: unknown): [place: string, value: unknown, expected: unknown] {
  const names = isJsonObject(value) && isJsonObject(expected) ? Object.keys({ ...expected, ...value }) : [];
  const [mine, other] = [value, expected] as Record<string, unknown>[];
  const name = names.find((one) => JSON.stringify(mine![one]) !== JSON.stringify(other![one]));
  if (name === undefined) return ['', value, expected];
  const [place, ...both] = firstDifference(mine![name], other![name]);
  return [`/${name}${place}`, ...both];
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 120);
}
