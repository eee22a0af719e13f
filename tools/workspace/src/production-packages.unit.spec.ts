import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');
const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};
/** All but the client, which buyers run and no image holds. */
const LIBS = readdirSync(join(ROOT, 'libs'))
  .filter((name) => name !== 'client')
  .map((name) => `libs/${name}`);
/** All but the process that is all of the product. */
const APPS = readdirSync(join(ROOT, 'apps'))
  .filter((name) => name !== 'standalone')
  .map((name) => `apps/${name}`);
const IMPORT = /\b(?:from |import |import\(|require\()'([^'.\s][^'\s]*)'/g;

/** Sources that end up in an image. */
function sourcesOf(project: string): string[] {
  const names = readdirSync(join(ROOT, project, 'src'), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts') && !/\.(spec|fixture|d)\.ts$/.test(name))
    .map((name) => join(project, 'src', name));
}

/** `@scope/name/inner` is of the package `@scope/name`. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Those that leave the project. */
function importsIn(text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, specifier]) => specifier!);
}

it.each([...APPS, ...LIBS])('%s runs with production packages alone', (project) => {
  const sources = sourcesOf(project);
  expect(sources.length).toBeGreaterThan(0);
  const missing = sources.flatMap((source) =>
    importsIn(readFileSync(join(ROOT, source), 'utf8'))
      .filter((specifier) => !isBuiltin(specifier) && !specifier.startsWith('@evenkeel/'))
      .filter((specifier) => !(packageOf(specifier) in dependencies))
      .map((specifier) => `${source}: ${specifier}`),
  );
  expect(missing).toEqual([]);
});
