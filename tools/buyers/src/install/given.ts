import { BadUsage } from '@evenkeel/platform/command-line';

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

/** @throws Error when no service answers there */
export async function expectAnswers(seller: string): Promise<void> {
  await fetch(`${seller}/health`).catch(() => {
    throw new Error(`Nobody answers at ${seller}. Start the service with "npm start", or name another address.`);
  });
}
