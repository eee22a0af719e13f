import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Clock } from '@evenkeel/kernel';
import { CachedDocument } from '@evenkeel/platform/http';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { PaymentTerms } from '../config/payment-terms';
import { capabilityManifest, describeService } from '../offers/capability-manifest';
import { goldenVectors } from '../offers/golden-vectors';
import { Offers } from '../offers/offers';
import { x402Index, x402Listing } from '../offers/x402-listing';
import { openApiDocument } from '../openapi/open-api-document';
import { priceList } from '../pricing/price-list';
import { aiCatalog, apiCatalog, catalogLink, robotsText, securityText } from './catalogs';
import { llmsText } from './llms-text';

const ICON_SVG = readFileSync(join(__dirname, 'icons/favicon.svg'));
/** For readers that ask for this name only. */
const ICON_ICO = readFileSync(join(__dirname, 'icons/favicon.ico'));

const PLAIN = { type: 'text/plain; charset=utf-8' };
const LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"; charset=utf-8';
const SECURITY = '/.well-known/security.txt';

/** For crawlers and browsers, which do not call them as an API; `/.well-known/api-catalog` and pages lead to them. */
export const FILE_PATHS = [
  '/.well-known/x402',
  '/.well-known/ai-catalog.json',
  '/.well-known/api-catalog',
  SECURITY,
  '/robots.txt',
  '/favicon.svg',
  '/favicon.ico',
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
] as const;

export type DocumentPath = (typeof FILE_PATHS)[number] | (typeof DOCUMENT_PATHS)[number];

/** The documents that machines look for at fixed addresses, made once from what is for sale. */
@Injectable()
export class Documents {
  private readonly lasting: Readonly<Record<Exclude<DocumentPath, typeof SECURITY>, CachedDocument>>;

  constructor(
    private readonly config: AgentGatewayConfig,
    terms: PaymentTerms,
    { all: offers, digest: offerDigest }: Offers,
    private readonly clock: Clock,
  ) {
    const { baseUrl, rates, CREDIT_FACE_MICROS: creditFaceMicros, PAID_ANSWER_BUDGET_MS: timeoutMs } = config;
    const { MAX_BODY_BYTES: maxBodyBytes, CONTACT_EMAIL: contactEmail } = config;
    const walletRate = rates.agentWallet;
    const prices = priceList({ terms, offerDigest, creditFaceMicros, timeoutMs, walletRate });
    const manifest = new CachedDocument(capabilityManifest({ terms, offerDigest, timeoutMs }));
    const llms = llmsText({ terms, offerDigest, creditFaceMicros, timeoutMs, maxBodyBytes, walletRate });
    this.lasting = {
      '/': new CachedDocument(describeService(terms), { headers: catalogLink(baseUrl) }),
      '/v1/capabilities': manifest,
      '/.well-known/capabilities': manifest,
      '/openapi.json': new CachedDocument(openApiDocument({ terms, offerDigest, timeoutMs, prices, contactEmail })),
      '/llms.txt': new CachedDocument(llms, PLAIN),
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
    };
  }

  at(path: DocumentPath): CachedDocument {
    return path === SECURITY ? this.security() : this.lasting[path];
  }

  /** The only one that time changes. */
  private security(): CachedDocument {
    const { baseUrl, CONTACT_EMAIL: email } = this.config;
    return new CachedDocument(securityText(baseUrl, email, this.clock.now()), PLAIN);
  }
}
