import {
  AgentErrorBody,
  CapabilityManifest,
  ErrorBody,
  HealthStatus,
  type OpenApiDocument,
  type OpenApiExample,
  PAID_ENDPOINTS,
  PaymentRequired,
  PaymentStatus,
  PriceList,
  ServiceDescriptor,
} from '@evenkeel/contracts';
import { loadConfig } from '@evenkeel/platform/config';
import { errorAnswer, NotFound, RateLimited } from '@evenkeel/platform/http';
import { partOf, refusalExample } from '@evenkeel/platform/openapi';
import { appModule } from '@evenkeel/platform/service';
import { explain, ValidationFailed } from '@evenkeel/platform/validation';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { ANSWER_HEADERS, errorExample, TAGS } from '../documentation/answers';
import { goldenVectors } from '../offers/golden-vectors';
import { Offers } from '../offers/offers';
import { priceList } from '../pricing/price-list';
import { AGENT_GATEWAY } from '../service';
import { serviceInfo, withProbes, withTerms } from './open-api-document';
import { inReadingOrder, type OperationExamples, withExamples } from './for-readers';
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
  const { paymentTerms: terms, PAID_ANSWER_BUDGET_MS: timeoutMs } = SAMPLE;
  const { digest: offerDigest } = new Offers(terms);
  const prices = priceList(SAMPLE, terms, offerDigest);
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

/** By operation: golden vectors, which are what the engine answers, to the byte, and a body that is refused. */
function engineExamples({ paths }: OpenApiDocument): Record<string, OperationExamples> {
  const { functions, ...rest } = goldenVectors();
  const [first] = functions;
  const excerpt = { ...rest, functions: [{ ...first!, vectors: first!.vectors.slice(0, 1) }] };
  const paid = PAID_ENDPOINTS.map(({ path, exampleInput, requestForms }): [string, OperationExamples] => {
    const { vectors } = functions.find(({ endpoint }) => endpoint === path)!;
    const { input, output } = vectors.find(({ name }) => name === 'published example')!;
    const [list] = Object.keys(exampleInput);
    const body = { ...exampleInput, [list!]: [] };
    const invalid = errorExample(path, new ValidationFailed(explain(requestForms, body)), { body });
    const answers = { 200: { published: { value: output } }, 400: { invalid } };
    return [paths[path]!.post!.operationId, { request: { published: { value: input } }, answers }];
  });
  const vectors = { answers: { 200: { excerpt: { summary: 'The first of many', value: excerpt } } } };
  return { ...Object.fromEntries(paid), listVectors: vectors };
}
