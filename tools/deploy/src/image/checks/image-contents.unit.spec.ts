import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { contentsOf, offencesIn } from './image-contents';

const LOCK = {
  packages: {
    '': { name: 'evenkeel', version: '1.0.0' },
    'node_modules/@a/used': { version: '1.0.0' },
    'node_modules/inner': { version: '3.0.0', dev: true },
    'node_modules/@a/used/node_modules/inner': { version: '2.0.0' },
    'node_modules/tested': { version: '1.0.0', dev: true },
  },
};

let workspace: string;
let app: string;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'evenkeel-contents-'));
  app = join(workspace, 'image/app');
  write('package-lock.json', LOCK);
  installed('node_modules/@a/used', '@a/used', '1.0.0');
  installed('node_modules/@a/used/node_modules/inner', 'inner', '2.0.0');
  listed('@a/used@1.0.0', 'inner@2.0.0', '@evenkeel/kernel@0.0.0');
});
afterEach(() => rmSync(workspace, { recursive: true }));

function write(file: string, content: object | string): void {
  mkdirSync(dirname(join(workspace, file)), { recursive: true });
  writeFileSync(join(workspace, file), typeof content === 'string' ? content : JSON.stringify(content));
}
const installed = (folder: string, name: string, version: string): void =>
  write(`image/app/${folder}/package.json`, { name, version });
function listed(...names: string[]): void {
  // As npm writes them: a project of ours has the name of its folder.
  const components = names.map((each) => ({
    name: each.slice(0, each.lastIndexOf('@')).replace('@evenkeel/', ''),
    purl: `pkg:npm/${each.replace(/^@/, '%40')}`,
  }));
  write('image/app/sbom.cdx.json', { bomFormat: 'CycloneDX', components });
}
const found = (): string => offencesIn(app, workspace).join('\n');

it('an image of used packages that its list names is right', () => {
  expect(found()).toBe('');
  expect(contentsOf(app).packages).toEqual(['@a/used@1.0.0', 'inner@2.0.0']);
});

it('a package of development is found', () => {
  installed('node_modules/tested', 'tested', '1.0.0');
  expect(found()).toContain('tested@1.0.0 is a package of development');
});

it('another version of a package is found', () => {
  installed('node_modules/inner', 'inner', '9.0.0');
  expect(found()).toContain('inner@9.0.0 is not in the lock file');
});

it('a package that the list does not name is found, and a name without package', () => {
  listed('@a/used@1.0.0', 'gone@1.0.0');
  expect(found()).toContain('does not name inner@2.0.0');
  expect(found()).toContain('names what is not installed: gone@1.0.0');
});

it.each(['apps/shop/dist/main.unit.spec.js', '.env', 'libs/words/tls.key', 'libs/words/dist/testing/fake.js'])(
  '%s is found',
  (file) => {
    write(`image/app/${file}`, '');
    expect(found()).toContain('has no place in an image');
  },
);

it('more than the size that is allowed is found', () => {
  write('image/app/big', '');
  truncateSync(join(app, 'big'), 301 * 1024 * 1024);
  expect(found()).toContain('It has 301 MB, and may have 300.');
});
