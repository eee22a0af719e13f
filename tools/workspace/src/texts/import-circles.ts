import { join } from 'node:path/posix';
import type { Texts } from './workspace-texts';

/** From the start of a line, not of types alone: those are gone when the program runs. */
const IMPORT = /^(?:import|export) (?!type )([^;'"]*?)(?:from )?'(\.[^']+)'/gm;
const TYPES_ALONE = /^\{(\s*type \w+( as \w+)?,?)+\s*\} $/;

/**
 * Files that import each other in a circle: none of them can be read, tested or loaded before the others.
 * @returns one circle for each import that closes one, as `a.ts > b.ts > a.ts`
 */
export function importCircles(texts: Texts): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, above: readonly string[]): void => {
    const start = above.indexOf(file);
    if (start !== -1) circles.push([...above.slice(start), file].join(' > '));
    if (start !== -1 || done.has(file)) return;
    for (const [, names, path] of texts.get(file)!.matchAll(IMPORT)) {
      const target = join(file, '..', path!);
      const imported = [`${target}.ts`, `${target}/index.ts`].find((one) => texts.has(one));
      if (imported !== undefined && !TYPES_ALONE.test(names!)) visit(imported, [...above, file]);
    }
    done.add(file);
  };
  for (const file of texts.keys()) if (file.endsWith('.ts')) visit(file, []);
  return circles;
}
