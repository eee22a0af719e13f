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
  const texts = new Map(written.map(({ path, content }) => [join(ROOT, path), content?.toString() ?? '']));
  expect(texts.size).toBe(14);
  expect(typeErrorsIn(texts)).toEqual([]);
  expect(tree.read(`${source}/app.module.ts`, 'utf8')).toMatch(/imports: \[[^]*EntriesModule[^]*\]/);
  const database = /ENTITIES[^]*Entry[^]*MIGRATIONS[^]*CreateEntries\d{13}/;
  expect(tree.read(`${source}/database.ts`, 'utf8')).toMatch(database);
  expect(tree.read(SHARED[1]!, 'utf8')).toMatch(/app: 'billing',\s*prefixes: \[[^\]]*'\/v1\/entries'\]/);
  await expect(featureGenerator(tree, options)).rejects.toThrow('apps/billing/src/entries is already there');
}, 120_000);

it.each(['agent-gateway', 'reporting', 'billing'])('makes it the highest layer of %s', async (app) => {
  const tree = aTree(app);
  await featureGenerator(tree, { name: 'top-up', app, skipFormat: true });
  const highest = new RegExp(`^ {2}'?${app}'?: \\[[^]*?'top-ups'\\],\\n( {2}\\S|\\};)`, 'm');
  expect(tree.read(SHARED[0]!, 'utf8')).toMatch(highest);
});

/** Checks texts, by their path, as if they were files of the workspace. */
function typeErrorsIn(texts: ReadonlyMap<string, string>): string[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.base.json'), ts.sys.readFile) as { config: object };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, directoryExists } = host;
  const folders = new Set([...texts.keys()].map((file) => dirname(file)));
  host.fileExists = (file) => texts.has(file) || fileExists(file);
  host.directoryExists = (folder) => folders.has(folder) || directoryExists!(folder);
  host.readFile = (file) => texts.get(file) ?? readFile(file);
  const program = ts.createProgram([...texts.keys()], options, host);
  return [...texts.keys()]
    .flatMap((file) => program.getSemanticDiagnostics(program.getSourceFile(file)))
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}
