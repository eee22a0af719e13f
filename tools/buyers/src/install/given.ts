import { BadUsage, type Streams } from '@evenkeel/platform/command-line';

const LOCAL = 'http://localhost:8080';

/**
 * Arguments of a command: names of languages, and the address of a running service.
 * @param known the languages there are
 * @throws BadUsage
 */
export function readGiven(given: readonly string[], known: readonly string[]): { names: string[]; seller: string } {
  const names = given.filter((one) => !one.includes('://'));
  const addresses = given.filter((one) => one.includes('://'));
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new BadUsage(`${unknown} is none of ${known.join(', ')}`);
  if (addresses.length > 1) throw new BadUsage('one address is enough');
  return { names, seller: (addresses[0] ?? LOCAL).replace(/\/$/, '') };
}

/**
 * Lets one after the other buy from a running service.
 * @param buy with a log for what is installed
 * @returns the exit code
 * @throws Error when no service answers there
 */
export async function eachBuys<Buyer extends { name: string }>(
  buyers: readonly Buyer[],
  seller: string,
  { err }: Streams,
  buy: (buyer: Buyer, log: (line: string) => void) => Promise<void>,
): Promise<0 | 1> {
  await fetch(`${seller}/health`).catch(() => {
    throw new Error(`Nobody answers at ${seller}. Start the service with "npm start", or name another address.`);
  });
  const failed: string[] = [];
  for (const buyer of buyers) {
    await buy(buyer, (line) => err(`${line}\n`)).catch((error: Error) => {
      failed.push(buyer.name);
      err(`${buyer.name}: ${error.message}\n`);
    });
  }
  if (failed.length === 0) return 0;
  err(`Not bought: ${failed.join(', ')}.\n`);
  return 1;
}
