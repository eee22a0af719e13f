import { SERVICE, type PaidEndpoint } from '@evenkeel/contracts';
import type { PaymentTerms } from '../config/payment-terms';
import { bodyFields } from './bazaar';

export const MCP_PATH = '/mcp';
const MIME_TYPE = 'application/json';

export function resourceUrl(endpoint: PaidEndpoint, terms: PaymentTerms): string {
  return terms.baseUrl + endpoint.path;
}

/** The address of all tools: with the name of a tool, the identity of its listing. */
export function mcpUrl({ baseUrl }: Pick<PaymentTerms, 'baseUrl'>): string {
  return baseUrl + MCP_PATH;
}

/** One entry of a version 1 `accepts`; version 1 clients know a chain by its short name only. */
export function acceptsEntryV1(endpoint: PaidEndpoint, terms: PaymentTerms): object {
  const amount = String(endpoint.priceMicros);
  return {
    scheme: 'exact',
    network: terms.bodyNetwork === 'short' ? terms.chain.shortName : terms.chain.caip2,
    networkCaip2: terms.chain.caip2,
    maxAmountRequired: amount,
    amount,
    ...listing(endpoint, terms),
  };
}

/** The requirements of a version 1 facilitator call: nothing in them says `eip155:`, which such facilitators refuse. */
export function requirementsV1(endpoint: PaidEndpoint, terms: PaymentTerms): object {
  const { shortName } = terms.chain;
  const maxAmountRequired = String(endpoint.priceMicros);
  return { scheme: 'exact', network: shortName, maxAmountRequired, ...listing(endpoint, terms) };
}

function listing(endpoint: PaidEndpoint, terms: PaymentTerms): object {
  return {
    asset: terms.asset,
    payTo: terms.payTo,
    resource: resourceUrl(endpoint, terms),
    description: endpoint.description,
    mimeType: MIME_TYPE,
    maxTimeoutSeconds: terms.maxTimeoutSeconds,
    outputSchema: {
      input: { type: 'http', method: 'POST', discoverable: true, bodyType: 'json', bodyFields: bodyFields(endpoint) },
      output: { type: 'object' },
    },
    extra: domain(terms),
  };
}

/** One entry of a version 2 `accepts`, and the requirements of a version 2 facilitator call. */
export function acceptsEntryV2(endpoint: PaidEndpoint, terms: PaymentTerms): object {
  return {
    scheme: 'exact',
    network: terms.chain.caip2,
    amount: String(endpoint.priceMicros),
    asset: terms.asset,
    payTo: terms.payTo,
    maxTimeoutSeconds: terms.maxTimeoutSeconds,
    extra: domain(terms),
  };
}

/** The resource for sale, as version 2 describes it. */
export function resourceOf(endpoint: PaidEndpoint, terms: PaymentTerms): object {
  return {
    url: resourceUrl(endpoint, terms),
    description: endpoint.headerDescription,
    mimeType: MIME_TYPE,
    serviceName: SERVICE.name,
    tags: SERVICE.tags,
    iconUrl: `${terms.baseUrl}/favicon.svg`,
  };
}

function domain(terms: PaymentTerms): object {
  return { name: terms.assetName, version: terms.assetVersion };
}
