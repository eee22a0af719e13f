import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { reachedPackages } from './reached-packages';

const ROOT = join(__dirname, '../../../../..');

it('follows every import to the packages of others, also of what is loaded late or only read', async () => {
  const root = mkdtempSync(join(tmpdir(), 'evenkeel-reached-'));
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  try {
    write('apps/shop/package.json', '{}');
    write(
      'apps/shop/src/main.ts',
      `import './page'; import { tell } from '@evenkeel/words/tell'; tell(import('late'));`,
    );
    write('apps/shop/src/page.ts', `import { read } from 'node:fs'; read(require.resolve(\`@shown/page/\${name}\`));`);
    write(
      'apps/shop/src/worker.ts',
      `import { Typed } from 'typed'; import type { Gone } from 'gone'; import 'deep/inner';`,
    );
    write('apps/shop/src/shop.unit.spec.ts', `import 'of-tests';`);
    write('libs/words/package.json', `{ "exports": { "./tell": { "@evenkeel/source": "./src/tell.ts" } } }`);
    write('libs/words/src/tell.ts', `export { tell } from 'telling';`);
    write('libs/words/src/other.ts', `import 'of-others';`);
    expect(await reachedPackages(root, 'apps/shop')).toEqual({
      projects: ['apps/shop', 'libs/words'],
      packages: ['@shown/page', 'deep', 'late', 'telling', 'typed'],
    });
  } finally {
    rmSync(root, { recursive: true });
  }
});

it.each([
  ['apps/reporting', ['esbuild', 'lit-html', 'd3-scale', 'pg', 'kafkajs', 'ioredis'], 'apps'],
  ['tools/ops', ['kafkajs', 'pg'], 'tools'],
])('finds what %s is made with, and no packages of development', async (project, wanted, kind) => {
  const { packages, projects } = await reachedPackages(ROOT, project);
  expect(packages).toEqual(expect.arrayContaining(wanted));
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, object>;
  expect(packages.filter((name) => name in devDependencies!)).toEqual([]);
  expect(projects.filter((name) => name.startsWith(`${kind}/`))).toEqual([project]);
});
