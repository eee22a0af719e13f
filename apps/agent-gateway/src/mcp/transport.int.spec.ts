import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { startGateway, type Gateway } from '../gateway.fixture';
import { analyze } from '../payments/payment.fixture';
import { callTool, HEADERS, opened, send, type ToolResult } from './mcp.fixture';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    settings: {
      CORS_ORIGINS: 'https://console.example',
      MCP_ALLOWED_HOSTS: 'gateway.internal',
      MCP_ALLOWED_ORIGINS: 'https://inspector.example:6274',
      RATE_DISCOVERY: '30/60',
      RATE_LIMIT_SCALE: '1',
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => gateway.clock.advanceMs(120_000));

const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
const error = (code: number) => ({ jsonrpc: '2.0', id: null, error: { code, message: expect.any(String) } });

/** Sends any Host header, which fetch does not allow. */
async function statusAt(host: string): Promise<number> {
  const options = { method: 'POST', headers: { ...HEADERS, host } };
  const post = request(`${gateway.running.url}/mcp`, options).end(JSON.stringify(list));
  const [response] = (await once(post, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode!;
}

const preflight = (origin: string) =>
  gateway.send('/mcp', { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });

describe('the check of host and origin', () => {
  it.each([
    'https://evil.example',
    'null',
    'https://api.example.evil.example',
    'http://inspector.example:6274',
    'https://inspector.example',
  ])('refuses Origin %s, before the call too', async (origin) => {
    const { status, body } = await send(gateway, list, { origin });
    expect([status, body]).toEqual([403, error(-32_000)]);
    const before = await preflight(origin);
    expect([before.status, before.body]).toEqual([403, body]);
  });

  it.each([
    'https://api.example',
    'https://console.example',
    'http://localhost:6274',
    'https://inspector.example:6274',
  ])('accepts Origin %s, before the call too', async (origin) => {
    const { status, headers } = await send(gateway, list, { origin });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    const before = await preflight(origin);
    expect([before.status, before.text, before.headers.get('access-control-allow-origin')]).toEqual([204, '', '*']);
  });

  it.each([
    ['evil.example', 403],
    ['api.example.evil.example', 403],
    ['api.example', 200],
    ['gateway.internal:3000', 200],
    ['localhost:8080', 200],
    ['[::1]:8080', 200],
  ])('Host %s: %i', async (host, status) => {
    expect(await statusAt(host)).toBe(status);
  });

  it('answers a preflight with all headers that payments need', async () => {
    const { status, headers } = await preflight('https://console.example');
    const allowed = headers.get('access-control-allow-headers')!.split(', ');
    expect(status).toBe(204);
    expect(allowed).toEqual(
      expect.arrayContaining(['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'PAYMENT-SIGNATURE', 'X-PAYMENT']),
    );
  });
});

it.each(['GET', 'DELETE', 'PUT'])('%s is 405: there are no sessions and no streams', async (method) => {
  const { status, headers, body } = await gateway.send('/mcp', { method, headers: { accept: 'text/event-stream' } });
  expect([status, headers.get('allow'), body.error]).toEqual([405, 'POST', 'method_not_allowed']);
});

describe('a body that is no message', () => {
  it.each<[string, string, number]>([
    ['no JSON', '{"jsonrpc":', -32_700],
    ['nothing', '', -32_700],
    ['a text', '"tools/list"', -32_600],
    ['an empty batch', '[]', -32_600],
    ['a batch of 21', JSON.stringify(Array.from({ length: 21 }, (_, id) => ({ ...list, id }))), -32_600],
    ['a batch with an id twice', JSON.stringify([list, list]), -32_600],
    ['with a dangerous key', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"__proto__":{}}}', -32_600],
  ])('%s: 400', async (_, body, code) => {
    const reply = await send(gateway, body);
    expect([reply.status, reply.body]).toMatchObject([400, error(code)]);
    expect(reply.headers.get('x-request-id')).toBeTruthy();
  });

  it.each<[string, object]>([
    ['without a version', { id: 1, method: 'tools/list' }],
    ['without a method', { jsonrpc: '2.0', id: 1 }],
    ['with an invalid id', { jsonrpc: '2.0', id: {}, method: 'tools/list' }],
    ['with a fractional id', { jsonrpc: '2.0', id: 1.5, method: 'tools/list' }],
    ['with invalid parameters', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: 5 }],
  ])('%s: an error of JSON-RPC, never 500', async (_, message) => {
    const reply = await send(gateway, message);
    expect(reply.status).toBeLessThan(500);
    expect(reply.body).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } });
  });

  it.each<[string, object, number]>([
    ['an unknown method', { ...list, method: 'tools/sell' }, -32_601],
    ['an unknown tool', { ...list, method: 'tools/call', params: { name: 'nobody' } }, -32_602],
  ])('%s: its code', async (_, message, code) => {
    expect((await send(gateway, message)).body).toMatchObject({ id: 7, error: { code } });
  });
});

describe('a body', () => {
  const huge = JSON.stringify({ ...list, params: { filler: 'x'.repeat(131_072) } });
  it.each<[string, BodyInit, Record<string, string>, number]>([
    ['over the cap', huge, {}, 413],
    ['zipped', gzipSync(JSON.stringify(list)), { 'content-encoding': 'gzip' }, 200],
    ['of another type', JSON.stringify(list), { 'content-type': 'text/plain' }, 415],
    ['asked for as plain JSON', JSON.stringify(list), { accept: 'application/json' }, 200],
  ])('%s: %j %j', async (_, body, headers, status) => {
    const reply = await gateway.send('/mcp', { method: 'POST', headers: { ...HEADERS, ...headers }, body });
    expect(reply.status).toBe(status);
  });
});

it('echoes the request id, and is never stored by a cache', async () => {
  const { headers } = await send(gateway, list, { 'x-request-id': 'trace-0123456789' });
  expect([headers.get('x-request-id'), headers.get('cache-control')]).toEqual(['trace-0123456789', 'no-store']);
});

it('takes a notification without an answer', async () => {
  const reply = await send(gateway, { jsonrpc: '2.0', method: 'notifications/initialized' });
  expect([reply.status, reply.text]).toEqual([202, '']);
});

it('initializes a client of the protocol before 2026-07-28, in one JSON message', async () => {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const { headers, body } = await send(gateway, { ...list, method: 'initialize', params });
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(headers.get('mcp-session-id')).toBeNull();
  expect(body['result']).toMatchObject({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'example.api/habit-reliability-analytics', version: '1.0.0' },
    instructions: expect.stringContaining('retry_same'),
  });
});

describe('a batch, as clients of the protocol of 2025-03-26 may send it', () => {
  const paid = (id: number, payment: object) => ({
    ...list,
    id,
    method: 'tools/call',
    params: { name: analyze.toolName, arguments: analyze.exampleInput, _meta: { 'x402/payment': payment } },
  });
  const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };

  it('gets an answer for each of its requests, paid ones too', async () => {
    const payments = [await gateway.aBuyer().sign({ version: 2 }), await gateway.aBuyer().sign({ version: 2 })];
    const calls = payments.map(({ header }, index) => paid(index, opened(header)));
    const { status, text } = await send(gateway, [list, notification, ...calls], {
      'mcp-protocol-version': '2025-03-26',
    });
    const answers = JSON.parse(text) as { id: number; result: ToolResult }[];
    expect([status, answers.map(({ id }) => id)]).toEqual([200, [7, 0, 1]]);
    for (const { result } of answers.slice(1)) expect(result.structuredContent).toEqual(analyze.exampleResult);
    for (const { nonce } of payments) expect(gateway.callsAbout(nonce)).toMatchObject({ settle: 1 });
  });

  it('answers a paid call that a notification of the same batch cancels', async () => {
    const { header, nonce } = await gateway.aBuyer().sign({ version: 2 });
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    const { status, text } = await send(gateway, [paid(1, opened(header)), cancelled]);
    const { result } = JSON.parse(text) as { result: ToolResult };
    expect([status, result.structuredContent]).toEqual([200, analyze.exampleResult]);
    expect(gateway.callsAbout(nonce)).toMatchObject({ settle: 1 });
  });

  it('counts as many messages as it has', async () => {
    const batch = (length: number) => Array.from({ length }, (_, id) => ({ ...list, id }));
    expect((await send(gateway, batch(20))).status).toBe(200);
    expect((await send(gateway, batch(11))).status).toBe(429);
  });
});

describe('the protocol of 2026-07-28', () => {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  };
  const modern = (method: string, params: object = {}, headers: Record<string, string> = {}) =>
    send(
      gateway,
      { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: envelope } },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...headers },
    );

  it('discovers, lists with a cache time, and calls', async () => {
    expect((await modern('server/discover')).body['result']).toMatchObject({ capabilities: { tools: {} } });
    const listed = (await modern('tools/list')).body['result'];
    expect(listed).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'public' });
    const call = { name: 'check_input', arguments: { tool: analyze.toolName, arguments: analyze.exampleInput } };
    const { headers, body } = await modern('tools/call', call, { 'mcp-name': call.name });
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body['result']).toMatchObject({ resultType: 'complete', structuredContent: { valid: true } });
  });

  it('refuses headers that contradict the body', async () => {
    const call = { name: 'list_offers', arguments: {} };
    const { status, body } = await modern('tools/call', call, { 'mcp-name': analyze.toolName });
    expect([status, body]).toMatchObject([400, { error: { code: -32_020 } }]);
  });

  it('ends a subscription at once: the tools never change', async () => {
    const { headers, body } = await modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body).toMatchObject({ error: { code: expect.any(Number) } });
  });
});

it('counts free messages with the other free routes, and paid tools apart from them', async () => {
  for (let call = 0; call < 10; call += 1) {
    await send(gateway, call % 2 === 0 ? list : 'no message');
    await gateway.send('/agent/v1/pricing');
    await gateway.send(`/agent/v1/payments/0x${'0'.repeat(64)}`);
  }
  const { status, headers, body } = await send(gateway, list);
  expect([status, body.error, Number(headers.get('retry-after'))]).toEqual([429, 'rate_limited', expect.any(Number)]);
  expect((await callTool(gateway)).structuredContent.error).toBe('payment_required');
});
