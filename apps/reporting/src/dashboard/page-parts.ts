import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as Esbuild from 'esbuild';

const SOURCES = join(__dirname, 'browser');
/** A file that the build writes. */
export const BUILT_PARTS = join(__dirname, 'page-parts.json');

export interface PageParts {
  script: string;
  style: string;
}

/** Script and style of the operator's page: as the build made them, or from source made now. */
export function pageParts(): PageParts {
  return existsSync(BUILT_PARTS) ? (JSON.parse(readFileSync(BUILT_PARTS, 'utf8')) as PageParts) : bundlePage();
}

export function bundlePage(): PageParts {
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
  return { script: textOf('.js'), style: textOf('.css') };
}

/** Without the indentation of markup, which is a tenth of the page. */
export function unindented(text: string): string {
  return text.replace(/\n\s+/g, '\n');
}
