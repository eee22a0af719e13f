import { createHash } from 'node:crypto';
import { CachedDocument } from './cached-document';

/** The policy of a page: nothing but its own style and script, which ask their own origin alone, and in no frame. */
export function policyOf(own: readonly string[]): string {
  const others = [`connect-src 'self'`, `img-src 'self' data:`, `base-uri 'none'`, `form-action 'none'`];
  return [`default-src 'none'`, ...own, ...others, `frame-ancestors 'none'`].join('; ');
}

/** The texts between the tags of style and script of a page, by what allows them. */
const INLINE = { 'style-src': /<style>([^]*?)<\/style>/g, 'script-src': /<script>([^]*?)<\/script>/g } as const;

/**
 * A page for people that is the same for everybody until the next start. Only its own style and script are allowed, which its
 * policy names by their digests.
 */
export class FixedPage extends CachedDocument {
  /**
   * @param html complete in itself; style and script in tags without attributes
   * @param headers sent beside the policy
   */
  constructor(html: string, headers: Readonly<Record<string, string>> = {}) {
    const inline = Object.entries(INLINE).flatMap(([directive, tags]) => {
      const digests = [...html.matchAll(tags)].map(([, text]) => createHash('sha256').update(text!).digest('base64'));
      return digests.length > 0 ? [`${directive} ${digests.map((digest) => `'sha256-${digest}'`).join(' ')}`] : [];
    });
    const own = { 'content-security-policy': policyOf(inline), 'x-frame-options': 'DENY' };
    super(html, { type: 'text/html; charset=utf-8', headers: { ...own, ...headers } });
  }
}
