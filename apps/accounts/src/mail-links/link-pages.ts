import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NoncedPage } from '@evenkeel/platform/http';

const NONCE_BYTES = 18;

/** Tokens of links that are longer are no tokens of ours. */
export const LINK_TOKEN_CHARACTERS = 128;

/** A page of ours that a link in a mail opens: it sends the token of the link to the route of its own path. */
export class LinkPage {
  private readonly html: string;

  /** @param form name of its file in `pages` */
  constructor(form: string, title: string) {
    const read = (name: string) => readFileSync(join(__dirname, 'pages', `${name}.html`), 'utf8');
    this.html = read('frame').replace('{{form}}', read(form).trim()).replaceAll('{{title}}', title);
  }

  withNonce(): NoncedPage {
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    return { html: this.html.replaceAll('{{nonce}}', nonce), nonce };
  }
}
