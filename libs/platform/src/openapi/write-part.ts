import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPEN_API_FOLDER, type AppName, type OpenApiDocument } from '@evenkeel/contracts';
import { CommandLine, runCommand, startCommand } from '../command-line';
import type { Environment } from '../config';

/**
 * The program that writes what an app says of its routes, for the document of all apps and for clients.
 * @param app its part is `<app>.json`
 */
export function runWritePart(app: AppName, part: () => Promise<OpenApiDocument>, env: Environment): void {
  const write = new CommandLine({
    call: 'npm run openapi:write',
    about: `Writes what ${app} says of its routes to libs/contracts/openapi/${app}.json.

Run it after a change of routes or shapes; a test compares the file with the code.`,
    options: {},
    read: () => ({}),
  });
  startCommand(env, (args, _env, streams) =>
    runCommand(write, args, streams, async (_none, { out }) => {
      out(`${writePart(app, await part())}\n`);
    }),
  );
}

/** @returns the file that now holds the part of an app */
export function writePart(app: AppName, part: OpenApiDocument): string {
  const file = join(OPEN_API_FOLDER, `${app}.json`);
  writeFileSync(file, `${JSON.stringify(part, null, 2)}\n`);
  return file;
}
