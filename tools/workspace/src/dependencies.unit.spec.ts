import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './run.fixture';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const manifestIn = (folder: string) =>
  JSON.parse(read(`${folder}/package.json`)) as Record<'dependencies' | 'devDependencies', Record<string, string>>;
const { dependencies, devDependencies } = manifestIn('.');
/** Manifests by the heading of their reasons; the last three are installed outside the checkout. */
const MANIFESTS: Record<string, Record<string, string>> = {
  'Run time': dependencies,
  'Development and tests': devDependencies,
  'Wallets of the tests': manifestIn('tools/buyers/wallets/packages').dependencies,
  'Version 1 client': manifestIn('tools/agent/packages').dependencies,
  'Readers of documents': manifestIn('tools/buyers/readers').dependencies,
};
const LOCKED = [
  '.',
  'tools/buyers/wallets/packages',
  'tools/agent/packages',
  'tools/buyers/readers',
  'docs/buy/typescript',
];

/** Names in a file that is no package.json: what the pattern finds in it. */
const named = (file: string, pattern: RegExp): string[] => [...read(file).matchAll(pattern)].map(([, name]) => name!);
const REQUIREMENT = /^([\w-]+)(?:\[[^\]]*\])?==/gm;
const NAMED = {
  ...Object.fromEntries(Object.entries(MANIFESTS).map(([heading, versions]) => [heading, Object.keys(versions)])),
  'Programs of buyers': [
    ...Object.keys(manifestIn('docs/buy/typescript').dependencies),
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
const reasons = read('docs/dependencies.md');

it.each(Object.entries(NAMED))('%s: each direct dependency has its reason, once', (heading, names) => {
  const section = reasons.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const explained = [...section.matchAll(/^\| `([^`]+)`\s*\| \S/gm)].map(([, name]) => name!);
  expect(explained.sort()).toEqual(names.sort());
});

it('packages are pinned, and the lock files take them from any registry', () => {
  const loose = Object.values(MANIFESTS).flatMap((versions) => {
    return Object.entries(versions).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
  });
  expect(loose).toEqual([]);
  const bound = LOCKED.filter((folder) => /"resolved": "[a-z+]+:/.test(read(`${folder}/package-lock.json`)));
  expect(bound).toEqual([]);
});
