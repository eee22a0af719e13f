import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NoncedPage } from '@evenkeel/platform/http';

const NONCE_BYTES = 18;

/**
 * A page of ours that a link in a mail opens: it sends the token of the link to the route of its own path.
 * @param form name of its file in `pages`
 * @returns makes the page of one answer
 */
export function linkPage(form: string, title: string): () => NoncedPage {
  const read = (name: string) => readFileSync(join(__dirname, 'pages', `${name}.html`), 'utf8');
  const html = read('frame').replace('{{form}}', read(form).trim()).replaceAll('{{title}}', title);
  return () => {
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    return { html: html.replaceAll('{{nonce}}', nonce), nonce };
  };
}
