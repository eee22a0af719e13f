import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { buildSync } from 'esbuild';

const SOURCES = join(__dirname, 'browser');
const NONCE = '{{nonce}}';
const NONCE_BYTES = 18;

export interface NoncedDocument {
  html: string;
  nonce: string;
}

/** The operator's page in one document. It is built once; each answer has its own nonce. */
@Injectable()
export class DashboardDocument {
  /** The document, split at the places of the nonce. */
  private readonly parts: readonly string[];

  constructor() {
    const { script, style } = bundle();
    const page = readFileSync(join(SOURCES, 'page.html'), 'utf8');
    // Functions as replacements: a dollar sign in the script must not refer to a match.
    this.parts = page
      .split(NONCE)
      .map((part) => part.replace('/* the style */', () => style).replace('/* the script */', () => script));
  }

  withNonce(): NoncedDocument {
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    return { html: this.parts.join(nonce), nonce };
  }
}

function bundle(): { script: string; style: string } {
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
  const textOf = (kind: string): string => outputFiles.find(({ path }) => path.endsWith(kind))!.text.trim();
  return { script: textOf('.js'), style: textOf('.css') };
}
