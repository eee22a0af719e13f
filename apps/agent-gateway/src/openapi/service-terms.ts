import type { OpenApiDocument } from '@evenkeel/contracts';
import { withExamples, type NamedExamples, type OperationExamples } from '@evenkeel/platform/openapi';
import { capabilityManifest, describeService, type ManifestSettings } from '../offers/capability-manifest';
import { x402Listing } from '../offers/x402-listing';
import { offers } from './shared-answers';

export interface TermSettings extends ManifestSettings {
  /** The price list without a wallet. */
  prices: object;
}

/** Our part with the terms of one service: its address, and in place of other examples those that show its prices. */
export function withTerms(part: OpenApiDocument, settings: TermSettings): OpenApiDocument {
  const { components } = part;
  return {
    ...withExamples(part, examplesOf(settings)),
    servers: [{ url: settings.terms.baseUrl }],
    components: {
      ...components,
      responses: { ...components!.responses, ...offers(settings) },
    },
  };
}

function examplesOf({ prices, ...settings }: TermSettings): Record<string, OperationExamples> {
  const { terms, offerDigest } = settings;
  const manifest = { ...capabilityManifest(settings), capabilities: [] };
  const listing = { ...x402Listing(terms, [], offerDigest), items: [] };
  return {
    listPrices: answered({ withoutWallet: { value: { ...prices, wallet: null } } }),
    describeService: answered({ published: { value: describeService(terms) } }),
    listCapabilities: answered({ published: { value: manifest } }),
    listWellKnownCapabilities: answered({ published: { value: manifest } }),
    listResources: answered({ excerpt: { value: listing } }),
  };
}

function answered(examples: NamedExamples): OperationExamples {
  return { answers: { 200: examples } };
}
