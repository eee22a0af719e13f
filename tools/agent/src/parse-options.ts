import { parseArgs, type ParseArgsConfig } from 'node:util';
import { BadUsage } from './bad-usage';

/** @throws BadUsage */
export function parseOptions<Options extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: Options,
) {
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    // Node adds advice about its own syntax after the first sentence.
    throw new BadUsage((error as Error).message.split('. ')[0]);
  }
}

/** @throws BadUsage */
export function readUrl(url: string): string {
  const ofWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  if (!ofWeb) throw new BadUsage(`--url must be an http or https address, not ${url}`);
  return url;
}
