import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountOf, connect, folder, load, repeatingFetch, run } from './packages.mjs';

/** Its session has five seconds to come up, which a busy machine may not give it. */
const ATTEMPTS = 10;

/** Cloudflare's: its owner confirms each purchase. */
async function agents(options) {
  const { withX402Client } = await load('agents/x402');
  const account = await accountOf(options.privateKey);
  const client = (plain, rules) => withX402Client(plain, { account, ...rules });
  return confirming(options, client, (wallet, call) => wallet.callTool(null, call));
}

/** Its owner confirms each purchase; it knows version 1 alone. */
async function mcpay(options) {
  // The exports of `mcpay/client`: it is written for bundlers, which complete the names of files, and Node does not.
  const { withX402Client } = await load('./node_modules/mcpay/dist/client/with-x402-client.js');
  const evm = await accountOf(options.privateKey);
  const client = (plain, rules) => withX402Client(plain, { wallet: { evm }, ...rules });
  return confirming(options, client, (wallet, call) => wallet.callTool(call));
}

async function confirming({ url, line = 'sdk 1.x', approves = true, maxAtomic }, withPayment, callTool) {
  const { fetch, repeatResult } = repeatingFetch();
  let offers = null;
  const confirmationCallback = async (asked) => {
    offers = asked;
    return approves;
  };
  const rules = { maxPaymentValue: maxAtomic && BigInt(maxAtomic), confirmationCallback };
  const client = withPayment(await connect(line, url, fetch), rules);
  return {
    listTools: async () => (await client.listTools()).tools,
    call: async (name, input) => {
      offers = null;
      const result = await callTool(client, { name, arguments: input });
      return { result, offers };
    },
    repeat: repeatResult,
    close: () => client.close(),
  };
}

/**
 * Vercel's, for a language model: it calls a tool, reads the refusal, has an authorization made from the terms it has
 * read, and calls again. The model is played here, and knows no more than the schema of the tool that signs.
 */
async function x402Mcp({ url, privateKey, approves = true, maxAtomic }) {
  const { StreamableHTTPClientTransport } = await load('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const { experimental_createMCPClient } = await load('ai');
  const { withPayment } = await load('x402-mcp/client');
  const { fetch, repeatResult } = repeatingFetch();
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { fetch });
  const client = await withPayment(await experimental_createMCPClient({ transport }), {
    account: await accountOf(privateKey),
    network: 'base',
    maxPaymentValue: maxAtomic && BigInt(maxAtomic),
  });
  const tools = await client.tools();
  const { generatePaymentAuthorization: signing } = tools;
  const context = { toolCallId: 'call', messages: [] };
  const isSignable = (terms) => signing.inputSchema.safeParse({ paymentRequirements: terms }).success;
  return {
    listTools: async () => Object.entries(tools).map(([name, { description }]) => ({ name, description })),
    call: async (name, input) => {
      const refusal = await tools[name].execute(input, context);
      const offers = objectsIn(refusal).filter(isSignable);
      if (!approves || offers.length === 0) return { result: refusal, offers };
      const signed = await signing.execute({ paymentRequirements: offers[0] }, context);
      return { result: await tools[name].execute({ ...input, ...signed }, context), offers };
    },
    repeat: repeatResult,
    close: () => client.close(),
  };
}

function objectsIn(value) {
  if (value === null || typeof value !== 'object') return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

/** Apify's command line: a session in the background, which keeps one signature for its calls, and asks no person. */
async function mcpc({ url, privateKey }) {
  const home = await mkdtemp(join(tmpdir(), 'evenkeel-mcpc-'));
  const program = join(folder, 'node_modules/@apify/mcpc/bin/mcpc');
  const remove = () => rm(home, { recursive: true, force: true });
  const command = async (...args) => {
    const { stdout, stderr } = await run(program, [...args, '--json'], home);
    if (!/^\s*[[{]/.test(stdout)) throw new Error(stderr || stdout);
    return JSON.parse(stdout);
  };
  const openSession = async (left = ATTEMPTS) => {
    try {
      await command('connect', new URL('/mcp', url).href, '@evenkeel', '--x402');
    } catch (error) {
      if (left === 1 || !error.message.includes('Bridge failed to start')) throw error;
      await openSession(left - 1);
    }
  };
  try {
    await command('x402', 'import', privateKey);
    await openSession();
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    listTools: () => command('@evenkeel', 'tools-list'),
    call: async (name, input) => {
      return { result: await command('@evenkeel', 'tools-call', name, JSON.stringify(input)), offers: null };
    },
    close: async () => {
      const { sessions } = JSON.parse(await readFile(join(home, 'sessions.json'), 'utf8'));
      process.kill(sessions['@evenkeel'].pid);
      await remove();
    },
  };
}

/** The reference of MPP. Over HTTP it pays an x402 offer as well; over MCP it looks for offers of MPP alone. */
async function mppx({ url, privateKey, line = 'client 2.x, new era', approves = true, maxAtomic }) {
  const { Mppx, evm } = await load('mppx/client');
  const { McpClient } = await load('mppx/mcp/client');
  const { fetch, repeat } = repeatingFetch(({ headers }) => new Headers(headers).has('payment-signature'));
  const methods = [evm({ account: await accountOf(privateKey), maxAtomicAmount: maxAtomic })];
  let offers = null;
  const onChallenge = ({ request }) => {
    offers = [request];
    if (!approves) throw new Error('User declined payment');
  };
  const payer = Mppx.create({ methods, polyfill: false, fetch, onChallenge });
  const client = McpClient.wrap(await connect(line, url), { methods });
  const answerOf = async (response) => {
    return { status: response.status, body: await response.json(), headers: Object.fromEntries(response.headers) };
  };
  return {
    listTools: async () => (await client.listTools()).tools,
    call: async (name, input) => ({ result: await client.callTool({ name, arguments: input }), offers: null }),
    post: async (path, input) => {
      offers = null;
      const headers = { 'content-type': 'application/json' };
      const response = await payer.fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(input) });
      return { result: await answerOf(response), offers };
    },
    repeat: async () => answerOf(await repeat()),
    close: () => client.close(),
  };
}

/** The inspector's command line: it has no wallet, and tells a refusal by its exit code. */
async function inspector({ url, line = 'sdk 1.x' }) {
  const home = await mkdtemp(join(tmpdir(), 'evenkeel-inspector-'));
  const program = join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
  const era = line.endsWith('new era') ? 'modern' : 'legacy';
  const inspect = async (...args) => {
    const target = ['--cli', new URL('/mcp', url).href, '--protocol-era', era, '--quiet', '--format', 'json'];
    const { code, stdout, stderr } = await run(program, [...target, ...args], home);
    if (!stdout) throw new Error(stderr);
    return { code, ...JSON.parse(stdout).result };
  };
  return {
    listTools: async () => (await inspect('--method', 'tools/list')).tools,
    call: async (name, input) => {
      const args = ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(input)];
      return { result: await inspect(...args), offers: null };
    },
    close: () => rm(home, { recursive: true, force: true }),
  };
}

/**
 * Each opens with the options `url`, `privateKey`, `line`, `approves`, `maxAtomic`, and resolves to an object with
 * - `listTools()`: the tools as the wallet shows them
 * - `call(name, input)`: `{ result, offers }`, offers as its owner was asked about them, where the owner is asked
 * - `post(path, input)`: the same over HTTP, where it pays there
 * - `repeat()`: the answer to the last request with a payment in it, sent once more
 * - `close()`
 */
export const wallets = { agents, inspector, mcpay, mcpc, mppx, 'x402-mcp': x402Mcp };
