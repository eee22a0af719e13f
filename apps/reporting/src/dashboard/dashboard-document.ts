import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageParts, unindented } from './page-parts';

const SOURCES = join(__dirname, 'browser');

/** The operator's page in one document. */
export function dashboardDocument(): string {
  const { script, style } = pageParts();
  const page = unindented(readFileSync(join(SOURCES, 'page.html'), 'utf8'));
  // Functions as replacements: a dollar sign in the script must not refer to a match.
  return page.replace('/* the style */', () => style).replace('/* the script */', () => script);
}
