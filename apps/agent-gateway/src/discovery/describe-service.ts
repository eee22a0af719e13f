import { PAID_ENDPOINTS, SERVICE, type ServiceDescriptor } from '@evenkeel/contracts';
import { MICROS_PER_USD } from '@evenkeel/kernel';
import type { PaymentTerms } from '../config/payment-terms';

/** `GET /`: what is for sale here, and where to read on (spec-decisions 7.2). */
export function describeService({ chain }: PaymentTerms): ServiceDescriptor {
  return {
    service: SERVICE.id,
    version: SERVICE.version,
    description: SERVICE.description,
    paid_endpoints: PAID_ENDPOINTS.map(({ method, path, priceMicros, capabilities }) => ({
      method,
      path,
      price_usd: priceMicros / MICROS_PER_USD,
      capability: capabilities[0]!,
    })),
    payment: { protocol: 'x402', x402_version: 1, network: chain.caip2 },
    links: {
      pricing: '/agent/v1/pricing',
      capabilities: '/v1/capabilities',
      openapi: '/openapi.json',
      llms: '/llms.txt',
      health: '/health',
      dashboard: '/dashboard',
    },
  };
}
