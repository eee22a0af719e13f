import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Needed {
  evenkeelNeededServices: string[];
}
const { neededBy } = jest.requireActual<{ neededBy(texts: ReadonlyMap<string, string>): Needed }>(
  '../../jest/needed-services.js',
);

const ROOT = join(__dirname, '../../../..');

/** Texts of all suites of some tiers, by their paths. */
function suites(tiers: RegExp): ReadonlyMap<string, string> {
  const projects = ['apps', 'libs', 'tools'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { withFileTypes: true }).filter((entry) => entry.isDirectory()),
  );
  const paths = projects.flatMap(({ parentPath, name }) => {
    const source = join(parentPath, name, 'src');
    return readdirSync(source, { recursive: true, encoding: 'utf8' }).map((file) => join(source, file));
  });
  return new Map(paths.filter((path) => tiers.test(path)).map((path) => [path, readFileSync(path, 'utf8')]));
}

it('npm test opens no browser, though its suites speak of some; suites of browsers have one', () => {
  const short = suites(/\.(unit|int)\.spec\.ts$/);
  expect([...short.values()].filter((text) => text.includes('browser'))).not.toEqual([]);
  expect(neededBy(short).evenkeelNeededServices).toEqual(['redis', 'kafka']);
  expect(neededBy(suites(/\.browser\.spec\.ts$/)).evenkeelNeededServices).toContain('browser');
});
