import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Texts by their path from the root of the workspace. */
export type Texts = ReadonlyMap<string, string>;

/** All that people write in the workspace, and the names of its other files. */
export interface WorkspaceTexts {
  texts: Texts;
  others: readonly string[];
}

/** The files that git has or would add. */
export function workspaceTexts(root: string): WorkspaceTexts {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\n');
  const files = listed.filter((file) => file !== '' && existsSync(join(root, file)));
  const isWritten = (file: string) => /\.(ts|mjs|js|md|sh|pml|css|html|template)$/.test(file);
  return {
    texts: new Map(files.filter(isWritten).map((file) => [file, readFileSync(join(root, file), 'utf8')])),
    others: files.filter((file) => !isWritten(file)),
  };
}
