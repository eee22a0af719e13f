/** `/robots.txt`: the operator's pages are nobody's business, all else is there to be found. */
export function robotsText(baseUrl: string): string {
  return `User-agent: *
Disallow: /dashboard
Disallow: /v1/admin
Allow: /

# For agents
# ${baseUrl}/llms.txt
# ${baseUrl}/openapi.json
# ${baseUrl}/.well-known/api-catalog
# ${baseUrl}/.well-known/ai-catalog.json
# ${baseUrl}/.well-known/x402.json
`;
}

/**
 * `/.well-known/security.txt` (RFC 9116). Says by itself when it is stale: seven months after the beginning of this one, so that
 * it stays the same for a month.
 * @param email where reports go; without one, the page that says more
 */
export function securityText(baseUrl: string, email: string | undefined, now: Date): string {
  const expires = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 7, 1));
  return `Contact: ${email === undefined ? `${baseUrl}/docs` : `mailto:${email}`}
Expires: ${expires.toISOString()}
Preferred-Languages: en
Canonical: ${baseUrl}/.well-known/security.txt
`;
}
