import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Pattern {
  isKept: boolean;
  /** As written, without the exclamation mark. */
  path: string;
  matches: RegExp;
}

/**
 * The files of a checkout that `COPY . .` copies: all that its `.dockerignore` leaves.
 * @returns paths from the root, sorted
 */
export function contextFiles(root: string): string[] {
  const patterns = patternsOf(readFileSync(join(root, '.dockerignore'), 'utf8'));
  return filesIn(root, '', patterns).sort();
}

function patternsOf(text: string): Pattern[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const isKept = line.startsWith('!');
    const path = line.slice(isKept ? 1 : 0);
    if (/[?[\]\\]|^\/|\/$|\s|\*\*(?!\/)/.test(path))
      throw new Error(`.dockerignore: the pattern ${line} is not known here.`);
    const expression = path
      .split(/(\*\*\/|\*)/)
      .map((part) => ({ '**/': '(?:.*/)?', '*': '[^/]*' })[part] ?? part.replace(/[.+^${}()|]/g, '\\$&'))
      .join('');
    return { isKept, path, matches: new RegExp(`^${expression}(?:/.*)?$`) };
  });
}

function filesIn(root: string, folder: string, patterns: readonly Pattern[]): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    // The last pattern that matches decides.
    const isKept = patterns.findLast(({ matches }) => matches.test(path))?.isKept ?? true;
    if (!entry.isDirectory()) return isKept ? [path] : [];
    const mayHold = patterns.some((pattern) => pattern.isKept && pattern.path.startsWith(`${path}/`));
    return isKept || mayHold ? filesIn(root, path, patterns) : [];
  });
}
