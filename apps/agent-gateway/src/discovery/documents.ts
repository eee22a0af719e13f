import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS_PATH, SERVICE } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { CachedDocument, FixedPage } from '@evenkeel/platform/http';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { PaymentTerms } from '../config/payment-terms';
import { SERVER_CARD_PATH, SERVER_CARD_TYPE, serverCard } from '../mcp/server-card';
import { capabilityManifest, describeService, x402Index, x402Listing } from '../offers/listings';
import { goldenVectors } from '../offers/golden-vectors';
import { Offers } from '../offers/offers';
import { openApiDocument } from '../openapi/open-api-document';
import { priceList } from '../pricing/price-list';
import { llmsText } from './llms-text';
import { errorsPage, SCRIPT_PATH, STYLE_PATH } from './reference';

const ICON_SVG = readFileSync(join(__dirname, 'icons/favicon.svg'));
/** For readers that ask for this name only. */
const ICON_ICO = readFileSync(join(__dirname, 'icons/favicon.ico'));

const PLAIN = { type: 'text/plain; charset=utf-8' };
const LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"; charset=utf-8';
const SECURITY = '/.well-known/security.txt';
/** The public keys of receipts, as a JWK Set (RFC 7517). */
const RECEIPT_KEYS = '/.well-known/receipt-jwks.json';

/** For crawlers and browsers, which do not call them as an API; `/.well-known/api-catalog` and pages lead to them. */
export const FILE_PATHS = [
  '/.well-known/x402',
  '/.well-known/ai-catalog.json',
  '/.well-known/api-catalog',
  SECURITY,
  '/robots.txt',
  '/favicon.svg',
  '/favicon.ico',
  SERVER_CARD_PATH,
  ERRORS_PATH,
  STYLE_PATH,
  SCRIPT_PATH,
] as const;

/** Each is an operation of its own in the OpenAPI document. */
export const DOCUMENT_PATHS = [
  '/',
  '/v1/capabilities',
  '/.well-known/capabilities',
  '/openapi.json',
  '/llms.txt',
  '/.well-known/x402.json',
  '/agent/v1/vectors',
  RECEIPT_KEYS,
] as const;

export type DocumentPath = (typeof FILE_PATHS)[number] | (typeof DOCUMENT_PATHS)[number];

type Document = Pick<CachedDocument, 'send'>;

/** The documents that machines look for at fixed addresses, made once from what is for sale. */
@Injectable()
export class Documents {
  private readonly lasting: Readonly<Record<Exclude<DocumentPath, typeof SECURITY>, Document>>;

  constructor(
    private readonly config: AgentGatewayConfig,
    terms: PaymentTerms,
    { all: offers, digest: offerDigest }: Offers,
    private readonly clock: Clock,
  ) {
    const { baseUrl, PAID_ANSWER_BUDGET_MS: timeoutMs, CONTACT_EMAIL: contactEmail } = config;
    const prices = priceList(config, terms, offerDigest);
    const manifest = new CachedDocument(capabilityManifest({ terms, offerDigest, timeoutMs }));
    this.lasting = {
      '/': new CachedDocument(describeService(terms), { headers: catalogLink(baseUrl) }),
      '/v1/capabilities': manifest,
      '/.well-known/capabilities': manifest,
      '/openapi.json': new CachedDocument(openApiDocument({ terms, offerDigest, timeoutMs, prices, contactEmail })),
      '/llms.txt': new CachedDocument(llmsText(config, terms, offerDigest), PLAIN),
      '/.well-known/x402': new CachedDocument(x402Index(terms)),
      '/.well-known/x402.json': new CachedDocument(x402Listing(terms, offers, offerDigest)),
      '/.well-known/ai-catalog.json': new CachedDocument(aiCatalog(baseUrl)),
      '/.well-known/api-catalog': new CachedDocument(apiCatalog(baseUrl), {
        type: LINKSET,
        headers: catalogLink(baseUrl),
      }),
      '/robots.txt': new CachedDocument(robotsText(baseUrl), PLAIN),
      '/favicon.svg': new CachedDocument(ICON_SVG, { type: 'image/svg+xml' }),
      '/favicon.ico': new CachedDocument(ICON_ICO, { type: 'image/x-icon' }),
      // Lets a buyer check the engine, or an implementation of their own, before and after they pay.
      '/agent/v1/vectors': new CachedDocument(goldenVectors()),
      [RECEIPT_KEYS]: new CachedDocument({ keys: config.receiptKeys.published }),
      [SERVER_CARD_PATH]: new CachedDocument(serverCard(baseUrl), { type: `${SERVER_CARD_TYPE}; charset=utf-8` }),
      [ERRORS_PATH]: new FixedPage(errorsPage()),
      [STYLE_PATH]: new CachedDocument(swaggerFile('swagger-ui.css'), { type: 'text/css; charset=utf-8' }),
      [SCRIPT_PATH]: new CachedDocument(swaggerFile('swagger-ui-bundle.js'), {
        type: 'text/javascript; charset=utf-8',
      }),
    };
  }

  at(path: DocumentPath): Document {
    return path === SECURITY ? this.security() : this.lasting[path];
  }

  /** The only one that time changes. */
  private security(): CachedDocument {
    const { baseUrl, CONTACT_EMAIL: email } = this.config;
    return new CachedDocument(securityText(baseUrl, email, this.clock.now()), PLAIN);
  }
}

function swaggerFile(name: string): Buffer {
  return readFileSync(require.resolve(`swagger-ui-dist/${name}`));
}

const OPENAPI_TYPE = 'application/vnd.oai.openapi+json;version=3.1';

/** `/.well-known/api-catalog` (RFC 9727): where machines find our interfaces. */
function apiCatalog(baseUrl: string): object {
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
function aiCatalog(baseUrl: string): object {
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
function catalogLink(baseUrl: string): { link: string } {
  return { link: `<${baseUrl}/.well-known/api-catalog>; rel="api-catalog"` };
}

/** `/robots.txt`: the operator's pages are left out, everything else may be found. */
function robotsText(baseUrl: string): string {
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
function securityText(baseUrl: string, email: string | undefined, now: Date): string {
  const expires = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 7, 1));
  return `Contact: ${email === undefined ? `${baseUrl}/docs` : `mailto:${email}`}
Expires: ${expires.toISOString()}
Preferred-Languages: en
Canonical: ${baseUrl}/.well-known/security.txt
`;
}
