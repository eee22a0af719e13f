import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPEN_API_FOLDER, PAID_ENDPOINTS, type OpenApiDocument } from '@evenkeel/contracts';
import { gatewayPart } from './gateway-part';

let part: OpenApiDocument;
beforeAll(async () => {
  part = await gatewayPart();
});

describe("the gateway's part of the OpenAPI document", () => {
  it('is checked in as the code says it (else: npm run openapi:write)', () => {
    const written = readFileSync(join(OPEN_API_FOLDER, 'agent-gateway.json'), 'utf8');
    expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(part)));
  });

  it('begins with what is for sale', () => {
    expect(Object.keys(part.paths).slice(0, 5)).toEqual(PAID_ENDPOINTS.map(({ path }) => path));
  });

  it.each(PAID_ENDPOINTS.map((endpoint) => [endpoint.path, endpoint] as const))('prices %s', (path, endpoint) => {
    const price = { mode: 'fixed', currency: 'USD', amount: (endpoint.priceMicros / 1_000_000).toFixed(2) };
    expect(part.paths[path]!.post).toMatchObject({
      security: [],
      'x-payment-info': { protocols: [{ x402: {} }], price },
      responses: { 402: { $ref: '#/components/responses/PaymentRequired' } },
    });
  });

  it('names, explains and opens every operation', () => {
    const operations = Object.values(part.paths).flatMap((path) => Object.values(path));
    const names = operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const { operationId, summary, description, security } of operations) {
      expect([operationId, security]).toEqual([expect.stringMatching(/^[a-z]+([A-Z][a-z]+)+$/), []]);
      expect([summary, description]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w\.$/)]);
    }
  });
});
