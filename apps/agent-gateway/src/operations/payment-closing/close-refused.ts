/** A payment is not closed; the message says why, and what to do instead. */
export class CloseRefused extends Error {}

export const FORCE = 'If you have seen it elsewhere: --force "<where>".';

export const NAME_TRANSFER =
  'When one transaction made several transfers, say which one paid this: <hash>:<log index>, as an explorer shows it.';

/**
 * Reads the chain.
 * @returns null when it cannot be read and the operator has seen the evidence elsewhere
 * @throws CloseRefused when it cannot be read
 */
export async function readChain<Result>(ask: () => Promise<Result>, forced: boolean): Promise<Result | null> {
  try {
    return await ask();
  } catch (error) {
    if (forced) return null;
    throw new CloseRefused(`The chain cannot be read now. Try again later. ${FORCE}`, { cause: error });
  }
}
