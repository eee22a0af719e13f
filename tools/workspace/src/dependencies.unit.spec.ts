import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
  'dependencies' | 'devDependencies',
  Record<string, string>
>;
const reasons = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');

/** Packages with a reason, under one heading of the document. */
function explained(heading: string): string[] {
  const section = reasons.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| `([^`]+)`\s*\| \S/gm)].map(([, name]) => name!);
}

describe('direct dependencies', () => {
  it.each([
    ['dependencies', 'Run time'],
    ['devDependencies', 'Development and tests'],
  ] as const)('%s each have their reason, once', (kind, heading) => {
    expect(explained(heading).sort()).toEqual(Object.keys(manifest[kind]).sort());
  });

  it.each(['dependencies', 'devDependencies'] as const)('%s are pinned', (kind) => {
    const loose = Object.entries(manifest[kind]).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
    expect(loose).toEqual([]);
  });
});
