import { ERRORS_PATH, SERVICE } from '@evenkeel/contracts';
import { SERVER_CARD_PATH, SERVER_CARD_TYPE } from '../mcp/server-card';

const OPENAPI_TYPE = 'application/vnd.oai.openapi+json;version=3.1';

/** `/.well-known/api-catalog` (RFC 9727): where machines find our interfaces. */
export function apiCatalog(baseUrl: string): object {
  const link = (path: string, type: string) => ({ href: baseUrl + path, type });
  return {
    linkset: [
      {
        anchor: `${baseUrl}/`,
        'service-desc': [link('/openapi.json', OPENAPI_TYPE)],
        'service-doc': [link('/docs', 'text/html'), link('/llms.txt', 'text/plain'), link(ERRORS_PATH, 'text/html')],
        'service-meta': [
          link('/v1/capabilities', 'application/json'),
          link('/agent/v1/pricing', 'application/json'),
          link('/.well-known/x402.json', 'application/json'),
          link('/.well-known/ai-catalog.json', 'application/json'),
        ],
        status: [link('/health', 'application/json')],
      },
    ],
  };
}

/** `/.well-known/ai-catalog.json`: the same for agents. No A2A card: this service does not implement A2A. */
export function aiCatalog(baseUrl: string): object {
  const { hostname } = new URL(baseUrl);
  const entry = (name: string, displayName: string, type: string, path: string) => ({
    identifier: `urn:air:${hostname}:${name}`,
    displayName,
    type,
    url: baseUrl + path,
    description: SERVICE.description,
    tags: SERVICE.tags,
    version: SERVICE.version,
  });
  return {
    specVersion: '1.0',
    host: { displayName: SERVICE.name, identifier: hostname, documentationUrl: `${baseUrl}/docs` },
    entries: [
      entry(SERVICE.id, `${SERVICE.name} over MCP`, SERVER_CARD_TYPE, SERVER_CARD_PATH),
      entry('api', `${SERVICE.name} over HTTP`, OPENAPI_TYPE, '/openapi.json'),
      entry('capabilities', `${SERVICE.name}: capabilities`, 'application/json', '/v1/capabilities'),
    ],
  };
}

/** Header that leads from a page to the catalogue of interfaces. */
export function catalogLink(baseUrl: string): { link: string } {
  return { link: `<${baseUrl}/.well-known/api-catalog>; rel="api-catalog"` };
}

/** `/robots.txt`: the operator's pages are left out, everything else may be found. */
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
