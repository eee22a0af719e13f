import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Command } from '@evenkeel/services';

/** The lines that every program of `docs/buy` prints, in this order. */
const STEPS = ['wallet', 'price', 'answer', 'receipt', 'repeat', 'charged'] as const;

/** The output of a program about its purchase: the text behind the name of each step. */
export type Purchase = Record<(typeof STEPS)[number], string>;

const LIMIT_MS = 120_000;

/**
 * Lets a program buy.
 * @param seller address of the service
 * @throws Error with all that it printed when it fails, or leaves a step out
 */
export async function purchase({ program, args, cwd, env }: Command, seller: string): Promise<Purchase> {
  const bought = promisify(execFile)(program, [...args, seller], { cwd, env, timeout: LIMIT_MS });
  const { stdout } = await bought.catch(
    ({ code, stdout: said, stderr }: Record<'code' | 'stdout' | 'stderr', string>) => {
      throw new Error(`It ended with ${code}:\n${said}${stderr}`);
    },
  );
  return read(stdout);
}

/** @throws Error when a step is missing, or stands in another place */
export function read(printed: string): Purchase {
  const lines = [...printed.matchAll(/^(\w+) +(.+)$/gm)].map(([, name, text]) => [name!, text!] as const);
  const found = lines.filter(([name]) => (STEPS as readonly string[]).includes(name));
  if (found.map(([name]) => name).join() !== STEPS.join()) {
    throw new Error(`It should print ${STEPS.join(', ')}, each once. It printed:\n${printed}`);
  }
  return Object.fromEntries(found) as Purchase;
}
