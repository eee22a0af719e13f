import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROW = /^\| `[^`]+` +\| `([^`]+)` +\|/gm;

/** A command of operators as compose runs it: a service, and the program with its first words; none where the service has its own. */
export interface OperatorCommand {
  service: string;
  command: readonly string[];
}

/** Those that the page of operators has. @param root of the workspace */
export function operatorCommands(root: string): OperatorCommand[] {
  const page = readFileSync(join(root, 'docs/operations/commands.md'), 'utf8');
  return [...page.matchAll(ROW)].map(([, text]) => {
    const [service, ...command] = text!.split(' ');
    return { service: service!, command };
  });
}
