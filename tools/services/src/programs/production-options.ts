import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../../..');

/**
 * The options of Node that a program runs with in production: those of every image, from the ENTRYPOINT of its Dockerfile,
 * then those of a service that serves HTTP, which come before the program among the arguments of a container.
 * @param app name of the service, for its `main`; without one those of every image alone, as workers have them
 * @throws Error when the ENTRYPOINT is no list
 */
export function productionNodeOptions(app?: string): string[] {
  const [, list] = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile()) ?? [];
  if (list === undefined) throw new Error('docker/Dockerfile has no ENTRYPOINT that is a list.');
  const [_node, ...options] = JSON.parse(list) as string[];
  return [...options, ...(app === undefined ? [] : ownNodeOptions(app))];
}

/** Settings of the C library in production: how it keeps freed memory. */
export function productionAllocator(): Record<string, string> {
  const settings = dockerfile().matchAll(/^ENV (MALLOC_\w+)=(\d+)$/gm);
  return Object.fromEntries(Array.from(settings, ([, name, value]): [string, string] => [name!, value!]));
}

function dockerfile(): string {
  return readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8');
}

/** The options of Node that the `main` of a service has beside those of every image: `nodeOptions` of its `package.json`. */
export function ownNodeOptions(app: string): string[] {
  const manifest = readFileSync(join(ROOT, 'apps', app, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { nodeOptions?: string[] }).nodeOptions ?? [];
}
