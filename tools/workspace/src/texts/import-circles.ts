import { join } from 'node:path/posix';

/** From the start of a line, not of types alone: those are gone when the program runs. */
const IMPORT = /^(?:import|export) (?!type )([^;'"]*?)(?:from )?'(\.[^']+)'/gm;
const TYPES_ALONE = /^\{(\s*type \w+( as \w+)?,?)+\s*\} $/;

/**
 * Files that import each other in a circle: none of them can be read, tested or loaded before the others.
 * @param texts of the workspace by path; only TypeScript is read
 * @returns one circle for each import that closes one, as `a.ts > b.ts > a.ts`
 */
export function importCircles(texts: ReadonlyMap<string, string>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, above: readonly string[]): void => {
    const start = above.indexOf(file);
    if (start !== -1) circles.push([...above.slice(start), file].join(' > '));
    if (start !== -1 || done.has(file)) return;
    for (const imported of importsOf(file, texts)) visit(imported, [...above, file]);
    done.add(file);
  };
  for (const file of texts.keys()) visit(file, []);
  return circles;
}

function importsOf(file: string, texts: ReadonlyMap<string, string>): string[] {
  if (!file.endsWith('.ts')) return [];
  const relative = [...texts.get(file)!.matchAll(IMPORT)].filter(([, names]) => !TYPES_ALONE.test(names!));
  return relative.flatMap(([, , path]) => {
    const target = join(file, '..', path!);
    return [`${target}.ts`, `${target}/index.ts`].filter((one) => texts.has(one));
  });
}
