import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { aGateway } from '../gateway.fixture';
import { analyze } from '../payments/payment.fixture';
import { callTool, HEADERS, opened, send, type ToolResult } from './mcp.fixture';

const gateway = aGateway({
  settings: {
    CORS_ORIGINS: 'https://console.example',
    MCP_ALLOWED_HOSTS: 'gateway.internal',
    MCP_ALLOWED_ORIGINS: 'https://inspector.example:6274',
    RATE_AGENT_ADDRESS: '20/60',
    RATE_DISCOVERY: '30/60',
    RATE_LIMIT_SCALE: '1',
  },
});
beforeEach(() => gateway.clock.advanceMs(120_000));

const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
const lists = (length: number) => Array.from({ length }, (_, id) => ({ ...list, id }));
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

it.each([
  ['https://evil.example', 403],
  ['https://api.example.evil.example', 403],
  ['http://inspector.example:6274', 403],
  ['https://api.example', 200],
  ['https://console.example', 200],
  ['http://localhost:6274', 200],
  ['https://inspector.example:6274', 200],
])('a call from the page %s gets %i, and its preflight says so before', async (origin, expected) => {
  const { status, body } = await send(gateway, list, { origin });
  const before = await preflight(origin);
  const isRefused = expected === 403;
  expect([status, before.status]).toEqual([expected, isRefused ? 403 : 204]);
  if (isRefused) expect([body, before.body]).toEqual([error(-32_000), body]);
  else expect(before.headers.get('access-control-allow-origin')).toBe('*');
});

it('a preflight allows all headers that payments need', async () => {
  const { headers } = await preflight('https://console.example');
  const needed = ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'PAYMENT-SIGNATURE', 'X-PAYMENT'];
  expect(headers.get('access-control-allow-headers')!.split(', ')).toEqual(expect.arrayContaining(needed));
});

it.each([
  ['evil.example', 403],
  ['api.example', 200],
  ['gateway.internal', 200],
  ['localhost:8080', 200],
])('a call to the host %s gets %i', async (host, status) => expect(await statusAt(host)).toBe(status));

it.each(['GET', 'DELETE'])('%s is 405: there are no sessions and no streams', async (method) => {
  const { status, headers, body } = await gateway.send('/mcp', { method, headers: { accept: 'text/event-stream' } });
  expect([status, headers.get('allow'), body.error]).toEqual([405, 'POST', 'method_not_allowed']);
});

it.each<[string, string, number]>([
  ['no JSON', '{"jsonrpc":', -32_700],
  ['a batch of 21', JSON.stringify(lists(21)), -32_600],
  ['a batch with an id twice', JSON.stringify([list, list]), -32_600],
  ['with a dangerous key', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"__proto__":{}}}', -32_600],
])('a body that is %s: 400', async (_, body, code) => {
  const reply = await send(gateway, body);
  expect([reply.status, reply.body]).toMatchObject([400, error(code)]);
  expect(reply.headers.get('x-request-id')).toBeTruthy();
});

it('a call of an unknown tool: an error of JSON-RPC, never 500', async () => {
  const { status, body } = await send(gateway, { ...list, method: 'tools/call', params: { name: 'nobody' } });
  expect([status, body]).toMatchObject([200, { jsonrpc: '2.0', error: { code: -32_602 } }]);
});

it.each<[string, BodyInit, Record<string, string>]>([
  ['zipped', gzipSync(JSON.stringify(list)), { 'content-encoding': 'gzip' }],
  ['asked for as plain JSON', JSON.stringify(list), { accept: 'application/json' }],
])('a body %s is read', async (_, body, headers) => {
  const reply = await gateway.send('/mcp', { method: 'POST', headers: { ...HEADERS, ...headers }, body });
  expect(reply.status).toBe(200);
});

it('takes a notification without an answer, echoes the request id, and is never stored by a cache', async () => {
  const { status, text, headers } = await send(gateway, notification, { 'x-request-id': 'trace-0123456789' });
  expect([status, text]).toEqual([202, '']);
  expect([headers.get('x-request-id'), headers.get('cache-control')]).toEqual(['trace-0123456789', 'no-store']);
});

it('initializes a client of the protocol before 2026-07-28, in one JSON message', async () => {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const { headers, body } = await send(gateway, { ...list, method: 'initialize', params });
  const json = expect.stringMatching(/^application\/json/);
  expect([headers.get('content-type'), headers.get('mcp-session-id')]).toEqual([json, null]);
  expect(body['result']).toMatchObject({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'example.api/habit-reliability-analytics', version: '1.0.0' },
    instructions: expect.stringContaining('retry_same'),
  });
});

describe('a batch, as clients of the protocol of 2025-03-26 may send it', () => {
  async function paid(id: number) {
    const { header, nonce } = await gateway.aBuyer().sign({ version: 2 });
    const { toolName: name, exampleInput } = analyze;
    const params = { name, arguments: exampleInput, _meta: { 'x402/payment': opened(header) } };
    return { nonce, call: { ...list, id, method: 'tools/call', params } };
  }

  it('gets an answer for each of its requests, paid ones too', async () => {
    const calls = [await paid(0), await paid(1)];
    const batch = [list, notification, ...calls.map(({ call }) => call)];
    const { status, text } = await send(gateway, batch, { 'mcp-protocol-version': '2025-03-26' });
    const answers = JSON.parse(text) as { id: number; result: ToolResult }[];
    expect([status, answers.map(({ id }) => id)]).toEqual([200, [7, 0, 1]]);
    for (const { result } of answers.slice(1)) expect(result.structuredContent).toEqual(analyze.exampleResult);
    for (const { nonce } of calls) expect(gateway.callsAbout(nonce)).toMatchObject({ settle: 1 });
  });

  it('answers a paid call that a notification of the same batch cancels', async () => {
    const { call, nonce } = await paid(1);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    const { status, text } = await send(gateway, [call, cancelled]);
    const { result } = JSON.parse(text) as { result: ToolResult };
    expect([status, result.structuredContent]).toEqual([200, analyze.exampleResult]);
    expect(gateway.callsAbout(nonce)).toMatchObject({ settle: 1 });
  });

  it('counts as many messages as it has', async () => {
    expect((await send(gateway, lists(20))).status).toBe(200);
    expect((await send(gateway, lists(11))).status).toBe(429);
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
    const { body } = await modern('tools/call', call, { 'mcp-name': call.name });
    expect(body['result']).toMatchObject({ resultType: 'complete', structuredContent: { valid: true } });
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

it.each<[string, object, Record<string, string>]>([
  ['without an id', { id: undefined }, {}],
  ['with arguments of another form', { params: { name: analyze.toolName, arguments: 'none' } }, {}],
  ['in a version that nobody speaks', {}, { 'mcp-protocol-version': '1999-01-01' }],
])('a call of a paid tool %s never reaches it, and is counted with the free messages', async (_, odd, headers) => {
  const call = { ...list, method: 'tools/call', params: { name: analyze.toolName }, ...odd };
  const statuses: number[] = [];
  for (let sent = 0; sent < 31; sent += 1) statuses.push((await send(gateway, call, headers)).status);
  expect(statuses.indexOf(429)).toBe(30);
});

it('each call of a batch that never reaches its paid tool is counted, and takes no answer from one that does', async () => {
  const call = { ...list, method: 'tools/call', params: { name: analyze.toolName } };
  const odd = { ...call, id: undefined };
  const batch = [list, ...Array.from({ length: 19 }, () => odd)];
  expect((await send(gateway, batch)).status).toBe(200);
  expect((await send(gateway, batch)).status).toBe(429);
  expect((await send(gateway, [call, odd])).status).toBe(200);
});

it('says of a refusal over HTTP whether anything was charged: not known of a payment over the limit', async () => {
  const plain = await send(gateway, list, { 'content-type': 'text/plain' });
  expect([plain.status, plain.body.details]).toEqual([415, { charged: false, retry: 'fix_request' }]);
  const got = await gateway.send('/mcp');
  expect([got.status, got.body.details]).toEqual([405, { charged: false, retry: 'do_not_retry' }]);
  const over = async (message: object) => {
    for (let count = 0; count < 30; count += 1) await send(gateway, message);
    const { status, body } = await send(gateway, message);
    return [status, body.details?.charged, body.details?.retry];
  };
  expect(await over(list)).toEqual([429, false, 'retry_same']);
  const params = { name: analyze.toolName, arguments: null, _meta: { 'x402/payment': {} } };
  expect(await over({ ...list, method: 'tools/call', params })).toEqual([429, null, 'retry_same']);
});

it('counts unpaid calls of tools with those of HTTP; over the limit the error has no price', async () => {
  for (let call = 0; call < 10; call += 1) {
    await callTool(gateway);
    await gateway.send(analyze.path, { method: 'POST' });
  }
  const result = await callTool(gateway);
  const waits = { charged: false, retry: 'retry_same', retry_after_seconds: expect.any(Number) };
  expect(result).toMatchObject({
    isError: true,
    structuredContent: { error: 'rate_limited', details: { scope: 'address', limit: 20, ...waits } },
  });
  expect(JSON.stringify(result)).not.toContain('accepts');
  expect((await gateway.send(analyze.path, { method: 'POST' })).status).toBe(429);
});
