import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reachedPackages } from './reached-packages';

const ROOT = join(__dirname, '../../../../..');

it.each([
  ['apps/reporting', ['esbuild', 'lit-html', 'pg', 'kafkajs', 'ioredis'], 'apps'],
  ['tools/ops', ['kafkajs', 'pg'], 'tools'],
])('finds what %s is made with, and no packages of development', async (project, wanted, kind) => {
  const { packages, projects } = await reachedPackages(ROOT, project);
  expect(packages).toEqual(expect.arrayContaining(wanted));
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, object>;
  expect(packages.filter((name) => name in devDependencies!)).toEqual([]);
  expect(projects.filter((name) => name.startsWith(`${kind}/`))).toEqual([project]);
});
