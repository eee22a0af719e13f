import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Texts by their path from the root of the workspace. */
export type Texts = ReadonlyMap<string, string>;

const PLACES = ['apps', 'libs', 'tools', 'bench', 'docs', 'docker', 'k8s'];
const LEFT_OUT = new Set(['node_modules', 'dist', 'coverage', 'generated', 'results']);
const WRITTEN = /\.(ts|mjs|js|md|sh|pml|css|html|template)$/;

/** All that people write in the workspace, and the names of its other files. */
export interface WorkspaceTexts {
  texts: Texts;
  others: readonly string[];
}

export function workspaceTexts(root: string): WorkspaceTexts {
  const inRoot = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isFile());
  const files = [...inRoot.map(({ name }) => name), ...PLACES.flatMap((place) => filesIn(root, place))];
  const written = files.filter((file) => WRITTEN.test(file));
  return {
    texts: new Map(written.map((file) => [file, readFileSync(join(root, file), 'utf8')])),
    others: files.filter((file) => !WRITTEN.test(file)),
  };
}

function filesIn(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !LEFT_OUT.has(name))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesIn(root, path) : entry.isFile() ? [path] : [];
    });
}
