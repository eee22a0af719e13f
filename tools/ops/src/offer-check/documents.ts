import { isJsonObject, PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';

export type Fetch = (address: string, init?: RequestInit) => Promise<Response>;

/** What a document may say of an offer. */
export type Fact =
  | ('digest' | 'price_atomic' | 'method' | 'url' | 'asset' | 'network' | 'pay_to')
  | ('max_items' | 'timeout_ms' | 'input_schema' | 'output_schema');

/** A document that speaks of offers. */
interface Source {
  /** The document, or the request that is answered with it. */
  where: string;
  /** What it has to say of every endpoint. */
  says: readonly Fact[];
  /** The parts of the answer that speak of offers, under names that are understood. Default: all of it, from JSON. */
  pick?: (answer: Answer) => unknown;
  init?: RequestInit;
  /** The only endpoint that it speaks of: its 402 is read. */
  only?: PaidEndpoint;
}

interface Answer {
  text: string;
  /** Of the header `PAYMENT-REQUIRED`. */
  header: string;
}

/** A document is not there, or not what it should be. */
export class Unreadable extends Error {}

const TERMS: readonly Fact[] = ['price_atomic', 'asset', 'network', 'pay_to'];
const LIMITS: readonly Fact[] = ['max_items', 'timeout_ms'];
const SCHEMAS: readonly Fact[] = ['input_schema', 'output_schema'];

const guide = ({ text }: Answer) => {
  const [, asset, network, pay_to] = /Paid in .* \((0x\w+)\) on (\S+) to (0x\w+)/.exec(text) ?? [];
  const lines = [...text.matchAll(/^- (\w+) (\/\S+) ([\d.]+) USD/gm)];
  return {
    offer_digest: /Digest of everything for sale: (\w+)/.exec(text)?.[1],
    max_items: Number(/for 1 to (\d+) items/.exec(text)?.[1]),
    timeout_ms: Number(/an answer within (\d+) ms/.exec(text)?.[1]),
    endpoints: lines.map(([, method, path, price_usd]) => ({ method, path, price_usd, asset, network, pay_to })),
  };
};

const openApi = ({ text }: Answer) => {
  const document: unknown = JSON.parse(text);
  return {
    info: at(document, 'info'),
    endpoints: PAID_ENDPOINTS.map(({ path }) => {
      const operation = at(document, `paths ${path} post`);
      return {
        url: operation && `${String(at(document, 'servers 0 url'))}${path}`,
        method: operation && 'POST',
        price_usd: at(operation, 'x-payment-info price amount'),
        input_schema: plainSchema(at(operation, 'requestBody content application/json schema'), document),
        output_schema: plainSchema(at(operation, 'responses 200 content application/json schema'), document),
      };
    }),
  };
};

/** The 402 of an endpoint, as a buyer meets it. */
const challenge = (method: 'GET' | 'POST', only: PaidEndpoint): Source[] => {
  const bazaarOf = (offer: unknown) => {
    const schema = at(offer, 'extensions bazaar schema');
    const asked = at(schema, 'properties input properties');
    return { schema, method: at(asked, 'method enum 0'), input: plainSchema(at(asked, 'body'), schema) };
  };
  const shared = { init: { method }, only };
  const body = ({ text }: Answer) => {
    const offer: unknown = JSON.parse(text);
    const { schema, method: stated, input } = bazaarOf(offer);
    const output_schema = plainSchema(at(schema, 'properties output properties example'), schema);
    return { ...(offer as object), method: stated, input_schema: input, inputSchema: input, output_schema };
  };
  const header = (answer: Answer) => {
    const offer: unknown = JSON.parse(Buffer.from(answer.header, 'base64').toString());
    const { method: stated, input } = bazaarOf(offer);
    return { ...(offer as object), method: stated, inputSchema: input };
  };
  const where = `${method} ${only.path}, 402`;
  const says: Fact[] = [...TERMS, 'method', 'url', 'max_items'];
  return [
    { ...shared, where: `${where} body`, says: [...says, ...SCHEMAS, 'digest'], pick: body },
    { ...shared, where: `${where} header`, says, pick: header },
  ];
};

/** In the order in which buyers come upon them. */
export const SOURCES: readonly Source[] = [
  { where: '/', says: ['price_atomic', 'method', 'network'] },
  { where: '/llms.txt', says: [...TERMS, ...LIMITS, 'method', 'digest'], pick: guide },
  { where: '/agent/v1/pricing', says: [...TERMS, ...LIMITS, 'method', 'digest'] },
  ...['/v1/capabilities', '/.well-known/capabilities'].map((where): Source => {
    return { where, says: [...TERMS, ...LIMITS, ...SCHEMAS, 'method', 'url', 'digest'] };
  }),
  { where: '/openapi.json', says: ['price_atomic', 'method', 'url', ...SCHEMAS, 'digest'], pick: openApi },
  {
    where: '/.well-known/x402',
    says: ['url'],
    pick: ({ text }) => listAt(JSON.parse(text), 'resources').map((url) => ({ url })),
  },
  { where: '/.well-known/x402.json', says: [...TERMS, 'method', 'url', 'max_items', 'digest'] },
  {
    where: '/mcp, tools/list',
    says: [...TERMS, 'max_items', 'digest'],
    init: { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) },
  },
  ...PAID_ENDPOINTS.flatMap((endpoint) => [...challenge('POST', endpoint), ...challenge('GET', endpoint)]),
];

/** @throws Unreadable */
export async function readDocument(
  { where, init, only, pick }: Source,
  baseUrl: string,
  request: Fetch,
): Promise<unknown> {
  const path = only?.path ?? where.split(',')[0]!;
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream, */*' };
  try {
    const response = await request(baseUrl + path, { ...init, headers, signal: AbortSignal.timeout(15_000) });
    const expected = only ? 402 : 200;
    if (response.status !== expected) throw new Error(`answered ${response.status}, not ${expected}`);
    const answer = { text: await response.text(), header: response.headers.get('payment-required') ?? '' };
    return pick ? pick(answer) : JSON.parse(answer.text);
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = error instanceof SyntaxError ? 'is not JSON' : ((cause as Error | undefined)?.message ?? message);
    throw new Unreadable(`${where} ${reason}`);
  }
}

/** A member deep inside a document of others, its names with spaces between; undefined where the way ends. */
export function at(node: unknown, way: string): unknown {
  return way.split(' ').reduce((found, name) => (found as Record<string, unknown> | undefined)?.[name], node);
}

/** A list deep inside; empty where there is none. */
export function listAt(node: unknown, way: string): unknown[] {
  const list = at(node, way);
  return Array.isArray(list) ? (list as unknown[]) : [];
}

/** Keywords that differ between documents without a difference in meaning. */
const NAMING = new Set(['$schema', '$defs', 'title']);

/**
 * A schema with everything it refers to in its place, so that two documents that keep their parts elsewhere can be compared.
 * @param root what `#` means
 */
export function plainSchema(schema: unknown, root: unknown = schema): unknown {
  if (Array.isArray(schema)) return schema.map((item) => plainSchema(item, root));
  if (!isJsonObject(schema)) return schema;
  const { $ref, ...own } = schema;
  const target = typeof $ref === 'string' ? (at(root, $ref.slice(2).replaceAll('/', ' ')) as object) : {};
  const members = Object.entries({ ...target, ...own }).filter(([name]) => !NAMING.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, plainSchema(member, root)]));
}
