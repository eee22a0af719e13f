import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Workspace } from './check-command';

/** Names of projects of the workspace, by their folder: `billing` is apps/billing. */
export function projectsOf(root: string): string[] {
  return ['apps', 'libs', 'tools'].flatMap((place) => readdirSync(join(root, place))).concat('bench');
}

/** Scripts of package.json. */
export function scriptsOf(root: string): Record<string, string> {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  return scripts;
}

/** Whether an API document of a service has this path; what is no operation of theirs is a page or a document. */
export function routesOf(root: string): Workspace['isRoute'] {
  const folder = join(root, 'libs/contracts/openapi');
  const templates = readdirSync(folder).flatMap((name) => {
    const { paths } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { paths: object };
    return Object.keys(paths);
  });
  const patterns = templates.map(
    (path) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  );
  return (path) => patterns.some((pattern) => pattern.test(path));
}
