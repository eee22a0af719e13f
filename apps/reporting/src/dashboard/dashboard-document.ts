import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as Esbuild from 'esbuild';

const SOURCES = join(__dirname, 'browser');
/** A file that the build writes. */
export const BUILT_DOCUMENT = join(__dirname, 'dashboard.html');

/** The operator's page in one document: as the build made it, or from source made now. */
export function dashboardDocument(): string {
  return existsSync(BUILT_DOCUMENT) ? readFileSync(BUILT_DOCUMENT, 'utf8') : bundledDocument();
}

export function bundledDocument(): string {
  // Loaded when it is wanted: it is another process, which a service that was built does without.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { buildSync } = require('esbuild') as typeof Esbuild;
  const { outputFiles } = buildSync({
    entryPoints: [join(SOURCES, 'page.ts'), join(SOURCES, 'page.css')],
    bundle: true,
    minify: true,
    write: false,
    outdir: SOURCES,
    format: 'iife',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    legalComments: 'none',
    tsconfigRaw: {},
  });
  const textOf = (kind: string): string => unindented(outputFiles.find(({ path }) => path.endsWith(kind))!.text.trim());
  const page = unindented(readFileSync(join(SOURCES, 'page.html'), 'utf8'));
  // Functions as replacements: a dollar sign in the script must not refer to a match.
  return page.replace('/* the style */', () => textOf('.css')).replace('/* the script */', () => textOf('.js'));
}

/** Without the indentation of markup, which is a tenth of the page. */
function unindented(text: string): string {
  return text.replace(/\n\s+/g, '\n');
}
