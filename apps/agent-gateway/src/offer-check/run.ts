import { BadUsage } from '../operations/bad-usage';
import type { Streams } from '../operations/streams';
import { CHECK_HELP, readCheckArguments } from './check-arguments';
import { compareOffers } from './compare-offers';
import { comparisonText } from './comparison-text';
import { Website, type Fetch } from './website';

/** The command line. @returns the exit code: 0 all agrees, 1 differences, 2 something could not be read */
export async function run(args: string[], { out, err }: Streams, request: Fetch = fetch): Promise<0 | 1 | 2> {
  try {
    const wanted = readCheckArguments(args);
    if (wanted === 'help') {
      out(CHECK_HELP);
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
