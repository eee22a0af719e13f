// Compiles the project in the current folder from src to dist, and copies what is not TypeScript, or is not for Node:
// what is in a folder named browser is bundled by the app that serves it.
import { transformFile } from '@swc/core';
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';

const configFile = join(import.meta.dirname, '../.swcrc');
await rm('dist', { recursive: true, force: true });
for (const entry of await readdir('src', { recursive: true, withFileTypes: true })) {
  const source = join(entry.parentPath, entry.name);
  if (!entry.isFile() || /\.(spec|fixture|d)\.ts$/.test(source)) continue;
  const isCopied = !source.endsWith('.ts') || source.split(sep).includes('browser');
  const place = join('dist', relative('src', source));
  const target = isCopied ? place : place.replace(/\.ts$/, '.js');
  await mkdir(dirname(target), { recursive: true });
  if (isCopied) {
    await copyFile(source, target);
    continue;
  }
  const sourceFileName = relative(dirname(target), source);
  const { code, map } = await transformFile(source, { configFile, sourceMaps: true, sourceFileName });
  await writeFile(target, `${code}\n//# sourceMappingURL=${basename(target)}.map\n`);
  await writeFile(`${target}.map`, map);
}
