import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Tree } from '@nx/devkit';
import { createTreeWithEmptyWorkspace } from '@nx/devkit/testing';
import ts from 'typescript';
import { ROOT } from '../run.fixture';
import { featureGenerator } from './feature.generator';

const SHARED = ['eslint.config.mjs', 'libs/contracts/src/routes.ts'];

/** The files of an app of ours that the generator changes. */
function aTree(app: string): Tree {
  const tree = createTreeWithEmptyWorkspace();
  for (const file of [...SHARED, `apps/${app}/src/app.module.ts`, `apps/${app}/src/database.ts`])
    tree.write(file, readFileSync(join(ROOT, file)));
  return tree;
}

it('writes what compiles, wires it into its app, and overwrites nothing', async () => {
  const source = 'apps/billing/src';
  const tree = aTree('billing');
  const options = { name: 'entry', plural: 'entries', app: 'billing', skipFormat: true };
  await featureGenerator(tree, options);
  const written = tree.listChanges().filter(({ path }) => path.startsWith(source));
  const texts = new Map(written.map(({ path, content }) => [path, content?.toString() ?? '']));
  expect(texts.size).toBe(14);
  expect(typeErrorsIn(texts)).toEqual([]);
  expect(texts.get(`${source}/app.module.ts`)).toMatch(/imports: \[[^]*EntriesModule[^]*\]/);
  expect(texts.get(`${source}/database.ts`)).toMatch(/ENTITIES[^]*Entry[^]*MIGRATIONS[^]*CreateEntries\d{13}/);
  expect(tree.read(SHARED[1]!, 'utf8')).toMatch(/app: 'billing',\s*prefixes: \[[^\]]*'\/v1\/entries'\]/);
  await expect(featureGenerator(tree, options)).rejects.toThrow('apps/billing/src/entries is already there');
}, 120_000);

it.each(['agent-gateway', 'reporting', 'billing'])('makes it the highest layer of %s', async (app) => {
  const tree = aTree(app);
  await featureGenerator(tree, { name: 'top-up', app, skipFormat: true });
  expect(tree.read(SHARED[0]!, 'utf8')).toMatch(
    new RegExp(`^ {2}'?${app}'?: \\[[^]*?'top-ups'\\],\\n( {2}\\S|\\};)`, 'm'),
  );
});

/**
 * Checks texts as if they were files of the workspace.
 * @param texts by path from the root
 * @returns one line for each type error in them
 */
function typeErrorsIn(texts: ReadonlyMap<string, string>): string[] {
  const virtual = new Map([...texts].map(([file, text]) => [join(ROOT, file), text]));
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.base.json'), ts.sys.readFile) as { config: object };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, directoryExists } = host;
  const folders = new Set([...virtual.keys()].map((file) => dirname(file)));
  host.fileExists = (file) => virtual.has(file) || fileExists(file);
  host.directoryExists = (folder) => folders.has(folder) || (directoryExists?.(folder) ?? false);
  host.readFile = (file) => virtual.get(file) ?? readFile(file);

  const program = ts.createProgram([...virtual.keys()], options, host);
  return [...virtual.keys()]
    .flatMap((file) => program.getSemanticDiagnostics(program.getSourceFile(file)))
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}
