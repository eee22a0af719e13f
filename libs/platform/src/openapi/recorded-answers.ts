import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPEN_API_FOLDER, type AppName, type OpenApiContent, type OpenApiDocument } from '@evenkeel/contracts';
import { startCommand } from '../command-line';
import type { Environment } from '../config';
import type { PartOptions } from './part-of';

const fileOf = (app: AppName): string => join(OPEN_API_FOLDER, `${app}.json`);

/** The program that writes what an app says of its routes, for the document of all apps and for clients. */
export function runWritePart(app: AppName, part: () => Promise<OpenApiDocument>, env: Environment): void {
  startCommand(env, async (_args, _env, { out }) => {
    out(`${writePart(app, await part())}\n`);
    return 0;
  });
}

/** @returns the file that now holds the part of an app */
export function writePart(app: AppName, part: OpenApiDocument): string {
  writeFileSync(fileOf(app), `${JSON.stringify(part, null, 2)}\n`);
  return fileOf(app);
}

/**
 * Answers that a test has recorded from the running service. They are kept in the document that is in git, each as the example
 * `recorded`, and nowhere else.
 * @returns by `<operationId> <status>`
 */
export function recordedAnswers(app: AppName): Record<string, unknown> {
  const { paths } = JSON.parse(readFileSync(fileOf(app), 'utf8')) as OpenApiDocument;
  const recorded: Record<string, unknown> = {};
  for (const { operationId, responses } of Object.values(paths).flatMap((operations) => Object.values(operations))) {
    for (const [status, response] of Object.entries(responses)) {
      const { content = {} } = response as { content?: OpenApiContent };
      const example = Object.values(content).find(({ examples }) => examples?.recorded)?.examples?.recorded;
      if (example) recorded[`${operationId} ${status}`] = example.value;
    }
  }
  return recorded;
}

/** @param recorded by `<operationId> <status>`, for every status that the operation documents */
export function recordedExamples(recorded: Readonly<Record<string, unknown>>): PartOptions['examples'] {
  return ({ operation: { operationId, responses } }) =>
    Object.fromEntries(
      Object.keys(responses).flatMap((status) => {
        const value = recorded[`${operationId} ${status}`];
        return value === undefined ? [] : [[status, { value }]];
      }),
    );
}
