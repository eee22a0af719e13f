import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BadUsage } from '@evenkeel/platform/command-line';
import type { Command } from './arguments';

/**
 * The request to send: the file named on the command line, else the sample of the operation.
 * @throws BadUsage when the file cannot be read or is not JSON
 */
export function requestBody({ operation, bodyFile }: Pick<Command, 'operation' | 'bodyFile'>): unknown {
  const file = bodyFile ?? join(__dirname, '..', 'samples', `${operation}.json`);
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new BadUsage(`--body ${file}: ${(error as Error).message}`);
  }
}
