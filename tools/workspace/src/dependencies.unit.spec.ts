import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
  'dependencies' | 'devDependencies',
  Record<string, string>
>;
/** Installed outside the checkout, by the heading of their reasons. */
const FETCHED = {
  'Wallets of the tests': 'tools/buyers/wallets/packages',
  'Version 1 client': 'tools/agent/packages',
  'Readers of documents': 'tools/buyers/readers',
};
const fetched = Object.entries(FETCHED).map(([heading, folder]): [string, Record<string, string>] => {
  const { dependencies } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as typeof manifest;
  return [heading, dependencies];
});

/** Names in a file that is no package.json: what the pattern finds in it. */
const named = (file: string, pattern: RegExp): string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(pattern)].map(([, name]) => name!);
const REQUIREMENT = /^([\w-]+)(?:\[[^\]]*\])?==/gm;
const buyers = {
  'Programs of buyers': [
    ...named('docs/buy/typescript/package.json', /^ {4}"([^"]+)": "\d/gm),
    ...named('docs/buy/python/requirements.in', REQUIREMENT),
    ...named('docs/buy/go/go.mod', /^require (\S+) v/gm),
    ...named('docs/buy/rust/Cargo.toml', /^(?!name|version|edition)([\w-]+) = ["{]/gm),
  ],
  'Generators of clients': [
    ...named('tools/buyers/clients/python/requirements.in', REQUIREMENT),
    ...named('tools/buyers/clients/go/go.mod', /^tool (\S+)\/cmd\//gm),
    ...named('tools/buyers/clients/go/go.mod', /^require (\S+) v/gm),
    ...named('tools/buyers/clients/java/pom.xml', /<artifactId>(?!clients<)([^<]+)</g),
  ],
};
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

  it.each(fetched)('%s each have their reason, once', (heading, dependencies) => {
    expect(explained(heading)).toEqual(Object.keys(dependencies));
  });

  it.each(Object.entries(buyers))(
    'of the programs and clients of buyers each have their reason: %s',
    (heading, names) => {
      expect(explained(heading).sort()).toEqual(names.sort());
    },
  );

  it.each([['dependencies', manifest.dependencies], ['devDependencies', manifest.devDependencies], ...fetched])(
    '%s are pinned',
    (_kind, versions) => {
      const loose = Object.entries(versions).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
      expect(loose).toEqual([]);
    },
  );

  it.each(['.', ...Object.values(FETCHED), 'docs/buy/typescript'])(
    'of the lock file in %s come from any registry',
    (folder) => {
      expect(readFileSync(join(root, folder, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved": "[a-z+]+:/);
    },
  );
});
