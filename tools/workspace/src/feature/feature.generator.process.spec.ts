import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tree } from '@nx/devkit';
import { createTreeWithEmptyWorkspace } from '@nx/devkit/testing';
import { ROOT } from '../run.fixture';
import { featureGenerator } from './feature.generator';
import { typeErrorsIn } from './type-errors.fixture';

const appModule = `import { Module } from '@nestjs/common';
import {
  CoreModule,
} from './core.module';

@Module({ imports: [CoreModule] })
export class AppModule {}
`;
const database = `export const ENTITIES = [];
export const MIGRATIONS = [];
`;

const LAYERS = `const layers = {
  'agent-gateway': [
    ...['config', 'metrics'],
    ...['recovery', 'operations'],
  ],
  reporting: [...['operator-access', 'revenue']],
  billing: [],
};
`;
const ROUTES = `export const ROUTES = [
  { app: 'agent-gateway', prefixes: ['/', '/agent/v1'] },
  { app: 'billing', prefixes: ['/v1/billing'] },
  { app: 'reporting', prefixes: [] },
];
`;

function aTree(app = 'billing'): Tree {
  const tree = createTreeWithEmptyWorkspace();
  tree.write(`apps/${app}/src/app.module.ts`, appModule);
  tree.write(`apps/${app}/src/database.ts`, database);
  tree.write('eslint.config.mjs', LAYERS);
  tree.write('libs/contracts/src/routes.ts', ROUTES);
  return tree;
}

async function generated(options: { name: string; plural?: string }) {
  const tree = aTree();
  await featureGenerator(tree, { app: 'billing', skipFormat: true, ...options });
  const read = (file: string) => tree.read(`apps/billing/src/${file}`, 'utf8') ?? '';
  return { tree, read };
}

describe('the feature generator', () => {
  it('follows a plural of its own', async () => {
    const { read } = await generated({ name: 'entry', plural: 'entries' });
    expect(read('entries/entry.entity.ts')).toContain("name: 'entries'");
    expect(read('entries/entries.module.ts')).toContain('export class EntriesModule {}');
  });

  it('wires the feature into its app', async () => {
    const { read } = await generated({ name: 'top-up' });
    expect(read('app.module.ts')).toContain(
      "} from './core.module';\nimport { TopUpsModule } from './top-ups/top-ups.module';\n",
    );
    expect(read('app.module.ts')).toContain('imports: [CoreModule, TopUpsModule]');
    expect(read('database.ts')).toContain('ENTITIES = [TopUp]');
    expect(read('database.ts')).toMatch(/MIGRATIONS = \[CreateTopUps\d{13}\]/);
  });

  it.each([
    ['agent-gateway', /^ {2}'agent-gateway': \[\n[^]*?'top-ups'\],\n {2}\],\n {2}reporting/m],
    ['reporting', /^ {2}reporting: \[.*, 'top-ups'\],\n {2}billing: \[\]/m],
    ['billing', /^ {2}billing: \['top-ups'\],\n\};/m],
  ])('makes it the highest layer of %s', async (app, layered) => {
    const tree = aTree(app);
    await featureGenerator(tree, { name: 'top-up', app, skipFormat: true });
    expect(tree.read('eslint.config.mjs', 'utf8')).toMatch(layered);
  });

  it.each([
    ['billing', "app: 'billing', prefixes: ['/v1/billing', '/v1/top-ups']"],
    ['agent-gateway', "app: 'agent-gateway', prefixes: ['/', '/agent/v1'] }"],
  ])('sends its path to %s', async (app, routes) => {
    const tree = aTree(app);
    await featureGenerator(tree, { name: 'top-up', app, skipFormat: true });
    expect(tree.read('libs/contracts/src/routes.ts', 'utf8')).toContain(routes);
  });

  it('overwrites nothing', async () => {
    const { tree } = await generated({ name: 'top-up' });
    await expect(featureGenerator(tree, { name: 'top-up', app: 'billing', skipFormat: true })).rejects.toThrow(
      'apps/billing/src/top-ups is already there',
    );
  });

  it('writes what compiles in an app of ours', async () => {
    const source = 'apps/agent-gateway/src';
    const tree = createTreeWithEmptyWorkspace();
    for (const file of ['app.module.ts', 'database.ts']) {
      tree.write(`${source}/${file}`, readFileSync(join(ROOT, source, file)));
    }
    for (const file of ['eslint.config.mjs', 'libs/contracts/src/routes.ts']) {
      tree.write(file, readFileSync(join(ROOT, file)));
    }
    await featureGenerator(tree, { name: 'top-up', app: 'agent-gateway', skipFormat: true });
    const written = tree.listChanges().filter(({ path }) => path.startsWith(source));
    const texts = new Map(written.map(({ path, content }) => [path, content?.toString() ?? '']));
    expect(texts.size).toBe(14);
    expect(typeErrorsIn(texts)).toEqual([]);
  }, 120_000);
});
