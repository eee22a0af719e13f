import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Hex } from 'viem';
import { generatePrivateKey } from 'viem/accounts';

/**
 * The agent's wallet: made once, readable by its owner alone.
 * @throws Error when the file holds something else
 */
export function walletKeyIn(file: string): Hex {
  mkdirSync(dirname(file), { recursive: true });
  try {
    // `wx`: of two agents that start together one makes the key, and both use it.
    writeFileSync(file, `${generatePrivateKey()}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const key = readFileSync(file, 'utf8').trim();
  if (!/^0x[0-9a-f]{64}$/i.test(key)) throw new Error(`${file} holds no wallet key. Remove it to get a new wallet.`);
  return key as Hex;
}
