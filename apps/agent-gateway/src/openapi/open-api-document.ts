import { openApiParts, SERVICE, type OpenApiDocument } from '@evenkeel/contracts';
import { gatewayPart, type PartSettings } from './gateway-part';
import { guidance } from './guidance';
import { mergeParts } from './merge-parts';
import { securitySchemes } from './security-schemes';
import { serviceInfo } from './service-info';

export interface OpenApiSettings extends PartSettings {
  contactEmail?: string | undefined;
}

/** `/openapi.json`: all surfaces of the product, ours with the terms of this service. */
export function openApiDocument(settings: OpenApiSettings): OpenApiDocument {
  const { terms, offerDigest, contactEmail } = settings;
  const { 'agent-gateway': _ours, ...others } = Object.fromEntries(openApiParts());
  const { tags, paths, components } = mergeParts([gatewayPart(settings), ...Object.values(others)]);
  return {
    openapi: '3.1.0',
    info: {
      ...serviceInfo(terms.baseUrl, contactEmail),
      'x-guidance': guidance(),
      'x-offer-digest': offerDigest,
    },
    'x-service-info': {
      categories: SERVICE.tags,
      docs: {
        homepage: terms.baseUrl,
        apiReference: `${terms.baseUrl}/docs`,
        llms: `${terms.baseUrl}/llms.txt`,
      },
    },
    'x-agentcash-guidance': { llmsTxtUrl: `${terms.baseUrl}/llms.txt` },
    servers: [{ url: terms.baseUrl }],
    tags: tags!,
    paths,
    components: { ...components, securitySchemes: securitySchemes(paths) },
  };
}
