import {
  isJsonObject,
  PAID_ENDPOINTS,
  PROVIDED_CAPABILITIES,
  providerOf,
  type PaidEndpoint,
} from '@evenkeel/contracts';
import { MICROS_PER_USD } from '@evenkeel/kernel';
import { maxItemsIn, plainSchema } from './plain-schema';
import type { Website } from './website';

type Fact =
  | 'digest'
  | 'method'
  | 'url'
  | 'price_atomic'
  | 'asset'
  | 'network'
  | 'pay_to'
  | 'max_items'
  | 'timeout_ms'
  | 'input_schema'
  | 'capability_schema'
  | 'output_schema';

export type Facts = Partial<Record<Fact, unknown>>;

/** One thing that one document says about one offer. */
export interface Statement {
  /** The document, or the request that was answered with it. */
  where: string;
  /** Path of the endpoint; empty for what is said of all offers together. */
  about: string;
  fact: Fact;
  value: unknown;
}

/** A document that speaks of offers. */
interface Source {
  where: string;
  /** @throws Unreadable */
  read(site: Website): Promise<unknown>;
  /** Where it says the digest of all offers. */
  digest?: string;
  /** What it says of an endpoint, by the part of the document. */
  facts(document: unknown, endpoint: PaidEndpoint): Record<string, Facts>;
  /** The only endpoint that it speaks of. */
  only?: PaidEndpoint;
}

/** @throws Unreadable */
export async function statementsOf(source: Source, site: Website): Promise<Statement[]> {
  const { where, digest, only } = source;
  const document = await source.read(site);
  const said = (only ? [only] : PAID_ENDPOINTS).flatMap((endpoint) =>
    Object.entries(source.facts(document, endpoint)).flatMap(([part, ofPart]) =>
      Object.entries(ofPart).map(([fact, value]) => ({
        where: where + part,
        about: endpoint.path,
        fact: fact as Fact,
        value,
      })),
    ),
  );
  return digest ? [{ where, about: '', fact: 'digest', value: at(document, digest) }, ...said] : said;
}

/** A member deep inside a document of others, its names with spaces between; undefined where the way ends. */
export function at(node: unknown, way: string): unknown {
  const inner = (found: unknown, name: string): unknown =>
    isJsonObject(found) || Array.isArray(found) ? (found as Record<string, unknown>)[name] : undefined;
  return way.split(' ').reduce(inner, node);
}

/** A list deep inside; empty where there is none. */
export function listAt(node: unknown, way: string): unknown[] {
  const list = at(node, way);
  return Array.isArray(list) ? (list as unknown[]) : [];
}

/** Dollars as documents write them, in atomic units. */
function atomic(usd: unknown): string {
  return String(Math.round(Number(usd) * MICROS_PER_USD));
}

/** An entry of `accepts`, whatever the version: version 1 has the name that we compare beside its short one. */
function termsAt(entry: unknown): Facts {
  return {
    price_atomic: at(entry, 'amount'),
    asset: at(entry, 'asset'),
    network: at(entry, 'networkCaip2') ?? at(entry, 'network'),
    pay_to: at(entry, 'payTo'),
  };
}

function receiverAt(payment: unknown): Facts {
  return { asset: at(payment, 'asset'), network: at(payment, 'network'), pay_to: at(payment, 'pay_to') };
}

const json = (path: string) => ({ where: path, read: (site: Website) => site.json(path) });

const FRONT_PAGE: Source = {
  ...json('/'),
  facts: (page, { path }) => {
    const offer = listAt(page, 'paid_endpoints').find((one) => at(one, 'path') === path);
    const price_atomic = atomic(at(offer, 'price_usd'));
    return { '': { network: at(page, 'payment network'), method: at(offer, 'method'), price_atomic } };
  },
};

/** What a reader of the text finds. */
const GUIDE: Source = {
  where: '/llms.txt',
  read: async (site) => {
    const text = await site.text('/llms.txt');
    return { text, digest: /Digest of everything for sale: (\w+)/.exec(text)?.[1] };
  },
  digest: 'digest',
  facts: (guide, { path }) => {
    const text = at(guide, 'text') as string;
    const [, asset, network, pay_to] = /Paid in .* \((0x\w+)\) on (\S+) to (0x\w+)/.exec(text) ?? [];
    const line = text.split('\n').find((one) => one.startsWith('- ') && one.includes(` ${path} `));
    const [, method, usd] = /^- (\w+) \S+ ([\d.]+) USD/.exec(line ?? '') ?? [];
    const max_items = Number(/for 1 to (\d+) items/.exec(text)?.[1]);
    const timeout_ms = Number(/an answer within (\d+) ms/.exec(text)?.[1]);
    return { '': { method, price_atomic: atomic(usd), asset, network, pay_to, max_items, timeout_ms } };
  },
};

const PRICE_LIST: Source = {
  ...json('/agent/v1/pricing'),
  digest: 'offer_digest',
  facts: (list, { path }) => {
    const offer = listAt(list, 'endpoints').find((one) => at(one, 'endpoint') === path);
    return {
      '': {
        ...receiverAt(at(list, 'payment')),
        method: at(offer, 'method'),
        price_atomic: at(offer, 'price amount_atomic'),
        max_items: at(offer, 'max_items'),
        timeout_ms: at(offer, 'timeout_ms'),
      },
      ' (amount_usd)': { price_atomic: atomic(at(offer, 'price amount_usd')) },
      ' (amount_usd_exact)': { price_atomic: atomic(at(offer, 'price amount_usd_exact')) },
    };
  },
};

const manifest = (path: string): Source => ({
  ...json(path),
  digest: 'discovery offer_digest',
  facts: (document, endpoint) => {
    const names = PROVIDED_CAPABILITIES.filter((name) => providerOf(name).path === endpoint.path);
    const parts = names.map((name): [string, Facts] => {
      const listed = listAt(document, 'capabilities').find((one) => at(one, 'capability') === name);
      const provider = at(listed, 'providers 0');
      const facts = {
        ...receiverAt(at(provider, 'price')),
        method: at(provider, 'method'),
        url: at(provider, 'endpoint'),
        price_atomic: atomic(at(provider, 'price amount_usd')),
        capability_schema: plainSchema(at(provider, 'input_schema')),
        output_schema: plainSchema(at(provider, 'output_schema')),
        max_items: at(provider, 'limits max_items'),
        timeout_ms: at(provider, 'limits timeout_ms'),
      };
      return [` (${name})`, facts];
    });
    return { ' (payment)': receiverAt(at(document, 'payment')), ...Object.fromEntries(parts) };
  },
});

const OPENAPI: Source = {
  ...json('/openapi.json'),
  digest: 'info x-offer-digest',
  facts: (document, { path }) => {
    const operation = at(document, `paths ${path} post`);
    const input_schema = plainSchema(at(operation, 'requestBody content application/json schema'), document);
    return {
      '': {
        url: `${String(at(document, 'servers 0 url'))}${path}`,
        method: operation && 'POST',
        price_atomic: atomic(at(operation, 'x-payment-info price amount')),
        input_schema,
        output_schema: plainSchema(at(operation, 'responses 200 content application/json schema'), document),
        max_items: maxItemsIn(input_schema),
      },
    };
  },
};

const EARLY_INDEX: Source = {
  ...json('/.well-known/x402'),
  facts: (index, { path }) => ({
    '': { url: listAt(index, 'resources').find((address) => String(address).endsWith(path)) },
  }),
};

/** Its items are over HTTP, and tools. */
const LISTING: Source = {
  ...json('/.well-known/x402.json'),
  digest: 'offer_digest',
  facts: (listing, { path, toolName }) => {
    const items = listAt(listing, 'items');
    const url = (item: unknown) => at(item, 'type') === 'http' && at(item, 'resource url');
    const http = items.find((item) => String(url(item)).endsWith(path));
    const tool = items.find((item) => at(item, 'input toolName') === toolName);
    return {
      '': { url: at(http, 'resource url'), method: at(http, 'input method'), ...termsAt(at(http, 'accepts 0')) },
      ' (tool)': { ...termsAt(at(tool, 'accepts 0')), max_items: maxItemsIn(at(tool, 'input inputSchema')) },
    };
  },
};

/** The declarations of the paid tools. */
const TOOLS: Source = {
  where: '/mcp, tools/list',
  read: (site) => site.rpc('/mcp', 'tools/list'),
  facts: (result, { toolName }) => {
    const tool = listAt(result, 'tools').find((one) => at(one, 'name') === toolName);
    return {
      '': { ...termsAt(at(tool, '_meta x402')), max_items: maxItemsIn(at(tool, 'inputSchema')) },
      ' (priceUSD)': { price_atomic: atomic(at(tool, '_meta agents-x402/priceUSD')) },
      ' (digest)': { digest: at(tool, '_meta evenkeel/offer-digest') },
    };
  },
};

/** The live 402 of an endpoint, body and header. */
const challenge = (method: 'GET' | 'POST', endpoint: PaidEndpoint): Source => ({
  where: `${method} ${endpoint.path}, 402`,
  read: (site) => site.offer(method, endpoint.path),
  only: endpoint,
  facts: (offer) => {
    const [body, header] = [at(offer, 'body'), at(offer, 'header')];
    const schema = at(body, 'extensions bazaar schema');
    const input_schema = plainSchema(at(schema, 'properties input properties body'), schema);
    const ofHeader = at(header, 'extensions bazaar schema properties input properties');
    return {
      ' body': {
        ...termsAt(body),
        digest: at(body, 'offer_digest'),
        method: at(schema, 'properties input properties method enum 0'),
        input_schema,
        output_schema: plainSchema(at(schema, 'properties output properties example'), schema),
        max_items: maxItemsIn(input_schema),
      },
      ' body, price': { price_atomic: atomic(at(body, 'price usd_exact')) },
      ' body, accepts': { ...termsAt(at(body, 'accepts 0')), url: at(body, 'accepts 0 resource') },
      ' body, accepts (version 1 name)': { price_atomic: at(body, 'accepts 0 maxAmountRequired') },
      ' header': {
        ...termsAt(header),
        url: at(header, 'resource url'),
        method: at(ofHeader, 'method enum 0'),
        max_items: maxItemsIn(at(ofHeader, 'body')),
      },
      ' header, accepts': termsAt(at(header, 'accepts 0')),
    };
  },
});

/** In the order in which buyers come upon them. */
export const SOURCES: readonly Source[] = [
  FRONT_PAGE,
  GUIDE,
  PRICE_LIST,
  manifest('/v1/capabilities'),
  manifest('/.well-known/capabilities'),
  OPENAPI,
  EARLY_INDEX,
  LISTING,
  TOOLS,
  ...PAID_ENDPOINTS.flatMap((endpoint) => [challenge('POST', endpoint), challenge('GET', endpoint)]),
];
