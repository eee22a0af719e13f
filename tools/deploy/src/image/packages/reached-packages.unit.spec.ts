import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reachedPackages } from './reached-packages';

const ROOT = join(__dirname, '../../../../..');
const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, object>;

it.each([
  ['apps/reporting', ['esbuild', 'lit-html', 'pg', 'kafkajs', 'ioredis']],
  ['apps/agent-gateway', ['viem', 'undici']],
  ['apps/accounts', ['@node-rs/argon2', 'nodemailer']],
  ['apps/billing', ['stripe']],
  ['tools/ops', ['kafkajs', 'pg']],
])('finds what %s is made with, and production packages alone', async (project, wanted) => {
  const { packages, projects } = await reachedPackages(ROOT, project);
  expect(packages).toEqual(expect.arrayContaining(wanted));
  expect(packages.filter((name) => !(name in dependencies!))).toEqual([]);
  expect(projects.filter((name) => !name.startsWith('libs/'))).toEqual([project]);
});
