import {
  AgentErrorBody,
  CapabilityManifest,
  ErrorBody,
  HealthStatus,
  PAID_ENDPOINTS,
  PaymentRequired,
  PaymentStatus,
  PriceList,
  ServiceDescriptor,
  type OpenApiDocument,
  type OpenApiExample,
} from '@evenkeel/contracts';
import { loadConfig } from '@evenkeel/platform/config';
import { errorAnswer, NotFound, RateLimited } from '@evenkeel/platform/http';
import { inReadingOrder, partOf, refusalExample, withExamples } from '@evenkeel/platform/openapi';
import { appModule } from '@evenkeel/platform/service';
import { ValidationFailed } from '@evenkeel/platform/validation';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { ANSWER_HEADERS, TAGS } from '../documentation/answers';
import { Offers } from '../offers/offers';
import { priceList } from '../pricing/price-list';
import { AGENT_GATEWAY } from '../service';
import { engineExamples } from './engine-examples';
import { serviceInfo } from './open-api-document';
import { withProbes, withTerms } from './service-terms';
import { sharedAnswers } from './shared-answers';

const ANSWERS = [
  AgentErrorBody,
  CapabilityManifest,
  ErrorBody,
  HealthStatus,
  PaymentRequired,
  PaymentStatus,
  PriceList,
  ServiceDescriptor,
  ...PAID_ENDPOINTS.map(({ result }) => result),
];

/** By status; for operations whose decorators name a refusal and no example. */
const REFUSALS: Readonly<Record<string, OpenApiExample>> = {
  400: refusalExample(
    errorAnswer(new ValidationFailed([{ path: '/name', code: 'required', message: 'is required' }])).body,
    { body: {} },
  ),
  404: refusalExample(errorAnswer(new NotFound()).body),
  429: refusalExample(errorAnswer(new RateLimited({ scope: 'address', limit: 600, window_seconds: 60 })).body),
};

/** A service with settings of nobody: what is served has the terms of the service that serves it. */
const SAMPLE = loadConfig(AgentGatewayConfig, {
  PUBLIC_BASE_URL: 'https://api.example',
  DATABASE_URL: 'postgres://nobody@localhost/nothing',
  X402_PAY_TO: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  X402_RPC_URL: 'none',
  ANSWER_KEYS: `sample:${Buffer.alloc(32, 1).toString('base64')}`,
  RECEIPT_KEYS: `sample:${Buffer.alloc(32, 1).toString('base64')}`,
});

/** Our routes in OpenAPI, read from the controllers; none of them is started. */
export async function gatewayPart(): Promise<OpenApiDocument> {
  const { paymentTerms: terms, rates, CREDIT_FACE_MICROS: creditFaceMicros, PAID_ANSWER_BUDGET_MS: timeoutMs } = SAMPLE;
  const { digest: offerDigest } = new Offers(terms);
  const prices = priceList({ terms, offerDigest, creditFaceMicros, timeoutMs, walletRate: rates.agentWallet });
  const part = await partOf(appModule(AGENT_GATEWAY, SAMPLE), {
    info: serviceInfo(terms.baseUrl),
    servers: [],
    tags: [
      { name: TAGS.paid, description: 'Pay per call over x402: no account, no key.' },
      { name: TAGS.free, description: 'Free: prices, what became of a payment, proof of the engine.' },
      { name: TAGS.tools, description: 'The same offers as tools of MCP.' },
      { name: TAGS.documents, description: 'Free: what machines read first.' },
    ],
    contracts: { bodies: PAID_ENDPOINTS.flatMap(({ requestForms }) => requestForms), answers: ANSWERS },
    components: { headers: ANSWER_HEADERS, responses: sharedAnswers({ terms, offerDigest }) },
    examples: () => REFUSALS,
    description: 'The answer',
  });
  const described = withProbes(withExamples(part, engineExamples(part)));
  return inReadingOrder(withTerms(described, { terms, offerDigest, timeoutMs, prices }));
}
