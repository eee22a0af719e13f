import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { ServiceUnavailable } from '@evenkeel/platform/http';
import { Logger } from '@nestjs/common';
import { aCredit } from '../credits/credit.fixture';
import { type Gateway, startGateway } from '../gateway.fixture';
import { Offers } from '../offers/offers';
import { analyze, terms } from '../payments/payment.fixture';
import { callTool, opened, type ToolResult } from './mcp.fixture';
import type { FreeTools } from './free-tools';
import type { PaidTools } from './paid-tools';
import type { Tool, ToolCall } from './tool';
import { ToolList } from './mcp-server';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ settings: { RATE_LIMIT_SCALE: '1', RATE_AGENT_ADDRESS: '20/60' } });
});
afterAll(() => gateway.close());

// Each test starts with an empty window.
beforeEach(() => gateway.clock.advanceMs(120_000));

const offerIn = ({ structuredContent }: ToolResult) => structuredContent;

it.each(PAID_ENDPOINTS)('$toolName states its price in every place where clients look', async (endpoint) => {
  const result = await callTool(gateway, { name: endpoint.toolName, arguments: endpoint.exampleInput });
  const entry = {
    scheme: 'exact',
    network: 'eip155:8453',
    amount: String(endpoint.priceMicros),
    asset: terms.asset,
    payTo: terms.payTo,
    maxTimeoutSeconds: 300,
    extra: { name: 'USD Coin', version: '2' },
  };
  expect(result.isError).toBe(true);
  expect(offerIn(result)).toMatchObject({
    x402Version: 2,
    error: 'payment_required',
    resource: { url: 'https://api.example/mcp', mimeType: 'application/json', serviceName: expect.any(String) },
    details: { charged: false, retry: 'pay_again' },
    offer_digest: gateway.app.get(Offers).digest,
    extensions: {
      bazaar: {
        info: {
          input: {
            type: 'mcp',
            toolName: endpoint.toolName,
            transport: 'streamable-http',
            inputSchema: { type: 'object' },
            example: endpoint.exampleInput,
          },
        },
      },
      preflight: { body_present: true, valid: true },
    },
  });
  expect(offerIn(result).accepts).toEqual([entry]);
  expect(JSON.parse(result.content[0]!.text)).toEqual(offerIn(result));
  expect(result.content[1]!.text).toContain(`costs ${(endpoint.priceMicros / 1e6).toFixed(2)} USD`);

  const copy = result._meta['x402/error']!;
  expect(copy).toEqual({ ...offerIn(result), accepts: [entry, expect.anything()] });
  expect(copy.accepts[1]).toEqual({
    scheme: 'exact',
    network: 'base',
    maxAmountRequired: String(endpoint.priceMicros),
    asset: terms.asset,
    payTo: terms.payTo,
    resource: 'https://api.example/mcp',
    description: endpoint.description,
    mimeType: 'application/json',
    maxTimeoutSeconds: 300,
    extra: { name: 'USD Coin', version: '2' },
  });
});

it('counts with the unpaid calls of HTTP; over the limit the error has no price', async () => {
  for (let call = 0; call < 10; call += 1) {
    await callTool(gateway);
    await gateway.send(analyze.path, { method: 'POST' });
  }
  const result = await callTool(gateway);
  expect(result).toMatchObject({
    isError: true,
    structuredContent: {
      error: 'rate_limited',
      details: {
        scope: 'address',
        limit: 20,
        charged: false,
        retry: 'retry_same',
        retry_after_seconds: expect.any(Number),
      },
    },
  });
  expect(JSON.stringify(result)).not.toContain('accepts');
  expect((await gateway.send(analyze.path, { method: 'POST' })).status).toBe(429);
});

it('an offer is ASCII only: one client sends it back encoded with btoa', async () => {
  for (const { toolName, exampleInput } of PAID_ENDPOINTS) {
    const result = await callTool(gateway, { name: toolName, arguments: exampleInput });
    expect(JSON.stringify(result)).toMatch(/^[\x20-\x7e]*$/);
  }
});

describe('credits', () => {
  const sign = () => gateway.aBuyer().sign({ version: 2 });
  const redeemed = { 'evenkeel/credit-status': 'redeemed' };

  it('a credit pays for a call, once', async () => {
    const { token } = await aCredit(gateway);
    const first = await callTool(gateway, { meta: { 'evenkeel/credit': token } });
    expect(first.isError).toBeUndefined();
    expect(first._meta).toMatchObject(redeemed);
    expect(first._meta['x402/payment-response']).toBeUndefined();

    const second = await callTool(gateway, { meta: { 'evenkeel/credit': token } });
    expect(second).toMatchObject({
      isError: true,
      structuredContent: { error: 'credit_spent', accepts: [expect.anything()], details: { charged: false } },
      _meta: { 'evenkeel/credit-status': 'spent' },
    });
  });

  it('beside a spent credit a good payment pays', async () => {
    const { token } = await aCredit(gateway);
    const meta = { 'evenkeel/credit': token, 'x402/payment': opened((await sign()).header) };
    expect((await callTool(gateway, { meta }))._meta).toMatchObject(redeemed);
    expect((await callTool(gateway, { meta }))._meta).toMatchObject({
      'evenkeel/credit-status': 'spent',
      'x402/payment-response': { success: true, status: 'settled' },
    });
  });
});

describe('a tool that fails', () => {
  const failing = (name: string, error: Error): Tool => ({
    declaration: { name, inputSchema: { type: 'object' } },
    call: () => Promise.reject(error),
  });
  const all = [failing('down', new ServiceUnavailable(7)), failing('broken', new TypeError('secret of ours'))];
  const tools = new ToolList({ all: [] } as unknown as PaidTools, { all } as unknown as FreeTools);
  const call = { context: { requestId: 'r-1' } } as ToolCall;

  beforeAll(() => {
    Logger.overrideLogger(false);
  });

  it('does not disclose an unexpected error', async () => {
    const result = await tools.call('broken', call);
    expect(result).toMatchObject({ isError: true, structuredContent: { error: 'internal_error' } });
    expect(JSON.stringify(result)).not.toContain('secret');
  });
});
