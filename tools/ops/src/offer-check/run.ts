import { isJsonObject } from '@evenkeel/contracts';
import { Command, InvalidArgumentError, runCommand, type Streams } from '@evenkeel/platform/command-line';
import { compareOffers, type Comparison } from './compare-offers';
import type { Fetch } from './documents';

const OFFER_CHECK = new Command('npm run offer:check --')
  .description(
    `Reads everything that a running service says about what it sells, and says where two places disagree: price, path, method,
network, asset, receiver, limits, schemas and the digest of all offers. It reads /, llms.txt, pricing, capabilities (both),
openapi.json, the x402 listings, the tools of /mcp, and the 402 of every paid endpoint, body and header. It pays nothing.`,
  )
  .argument('<base url>', 'of the service', baseOf)
  .option('--public-url <url>', 'base that the documents should speak of, when they are read from another', baseOf)
  .option('--json', 'the comparison as JSON', false)
  .addHelpText('after', '\nEnds with 0 when everything agrees, 1 when not, 2 when something could not be read.');

function baseOf(address: string): string {
  if (/^https?:\/\/[^\s/?#]+\/?$/.test(address)) return address.replace(/\/$/, '');
  throw new InvalidArgumentError(`It must be an http(s) address without a path.`);
}

/** The command line. @returns the exit code: 0 all agrees, 1 differences, 2 something could not be read */
export function run(args: string[], streams: Streams, request: Fetch = fetch): Promise<number> {
  return runCommand(
    OFFER_CHECK,
    args,
    streams,
    async ({ publicUrl, json, args: [baseUrl] }, { out }) => {
      const comparison = await compareOffers(baseUrl, publicUrl ?? baseUrl, request);
      out(json ? `${JSON.stringify(comparison, null, 2)}\n` : comparisonText(comparison));
      return comparison.differences.length === 0 ? 0 : 1;
    },
    { badUsage: 2, failed: 2 },
  );
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
