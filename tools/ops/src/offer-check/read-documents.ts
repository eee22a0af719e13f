import { PAID_ENDPOINTS, PROVIDED_CAPABILITIES, providerOf } from '@evenkeel/contracts';
import { maxItemsIn, plainSchema } from './plain-schema';
import { at, atomic, listAt, statementsOf, termsAt, type Reader, type Statement } from './statements';

const PRICES = '/agent/v1/pricing';
const FRONT = '/';

/** The price list. */
export const priceListStatements: Reader = async (site) => {
  const list = await site.json(PRICES);
  const common = {
    asset: at(list, 'payment', 'asset'),
    network: at(list, 'payment', 'network'),
    pay_to: at(list, 'payment', 'pay_to'),
  };
  const offers = PAID_ENDPOINTS.flatMap(({ path }) => {
    const offer = listAt(list, 'endpoints').find((one) => at(one, 'endpoint') === path);
    return [
      ...statementsOf(PRICES, path, {
        ...common,
        method: at(offer, 'method'),
        price_atomic: at(offer, 'price', 'amount_atomic'),
        max_items: at(offer, 'max_items'),
        timeout_ms: at(offer, 'timeout_ms'),
      }),
      ...statementsOf(`${PRICES} (amount_usd)`, path, { price_atomic: atomic(at(offer, 'price', 'amount_usd')) }),
      ...statementsOf(`${PRICES} (amount_usd_exact)`, path, {
        price_atomic: atomic(at(offer, 'price', 'amount_usd_exact')),
      }),
    ];
  });
  return [{ where: PRICES, about: '', fact: 'digest', value: at(list, 'offer_digest') }, ...offers];
};

export const frontPageStatements: Reader = async (site) => {
  const page = await site.json(FRONT);
  return PAID_ENDPOINTS.flatMap(({ path }) => {
    const offer = listAt(page, 'paid_endpoints').find((one) => at(one, 'path') === path);
    const network = at(page, 'payment', 'network');
    return statementsOf(FRONT, path, {
      network,
      method: at(offer, 'method'),
      price_atomic: atomic(at(offer, 'price_usd')),
    });
  });
};

const GUIDE = '/llms.txt';
const TERMS = /Paid in .* \((0x\w+)\) on (\S+) to (0x\w+)/;

/** The offers that a reader of the text finds. */
export const guideStatements: Reader = async (site) => {
  const text = await site.text(GUIDE);
  const [, asset, network, payTo] = TERMS.exec(text) ?? [];
  const digest = /Digest of everything for sale: (\w+)/.exec(text)?.[1];
  const maxItems = Number(/for 1 to (\d+) items/.exec(text)?.[1]);
  const timeoutMs = Number(/an answer within (\d+) ms/.exec(text)?.[1]);
  const offers = PAID_ENDPOINTS.flatMap(({ path }) => {
    const line = text.split('\n').find((one) => one.startsWith('- ') && one.includes(` ${path} `));
    const [, method, usd] = /^- (\w+) \S+ ([\d.]+) USD/.exec(line ?? '') ?? [];
    const terms = { asset, network, pay_to: payTo, max_items: maxItems, timeout_ms: timeoutMs };
    return statementsOf(GUIDE, path, { method, price_atomic: atomic(usd), ...terms });
  });
  return [{ where: GUIDE, about: '', fact: 'digest', value: digest }, ...offers];
};

/** @param where one of the two addresses of the manifest */
export const manifestStatements =
  (where: string): Reader =>
  async (site) => {
    const manifest = await site.json(where);
    const common = {
      asset: at(manifest, 'payment', 'asset'),
      network: at(manifest, 'payment', 'network'),
      pay_to: at(manifest, 'payment', 'pay_to'),
    };
    const offers = PROVIDED_CAPABILITIES.flatMap((name) => {
      const listed = listAt(manifest, 'capabilities').find((one) => at(one, 'capability') === name);
      const provider = at(listed, 'providers', 0);
      const input = at(provider, 'input_schema');
      const { path } = providerOf(name);
      const ofProvider = statementsOf(`${where} (${name})`, path, {
        method: at(provider, 'method'),
        url: at(provider, 'endpoint'),
        price_atomic: atomic(at(provider, 'price', 'amount_usd')),
        asset: at(provider, 'price', 'asset'),
        network: at(provider, 'price', 'network'),
        pay_to: at(provider, 'price', 'pay_to'),
        capability_schema: plainSchema(input),
        output_schema: plainSchema(at(provider, 'output_schema')),
        max_items: at(provider, 'limits', 'max_items'),
        timeout_ms: at(provider, 'limits', 'timeout_ms'),
      });
      return [...statementsOf(`${where} (payment)`, path, common), ...ofProvider];
    });
    return [{ where, about: '', fact: 'digest', value: at(manifest, 'discovery', 'offer_digest') }, ...offers];
  };

const OPENAPI = '/openapi.json';
const JSON_TYPE = 'application/json';

export const openApiStatements: Reader = async (site) => {
  const document = await site.json(OPENAPI);
  const server = at(document, 'servers', 0, 'url');
  const offers = PAID_ENDPOINTS.flatMap(({ path }) => {
    const operation = at(document, 'paths', path, 'post');
    const input = plainSchema(at(operation, 'requestBody', 'content', JSON_TYPE, 'schema'), document);
    const output = plainSchema(at(operation, 'responses', '200', 'content', JSON_TYPE, 'schema'), document);
    return statementsOf(OPENAPI, path, {
      url: `${String(server)}${path}`,
      method: operation === undefined ? undefined : 'POST',
      price_atomic: atomic(at(operation, 'x-payment-info', 'price', 'amount')),
      input_schema: input,
      output_schema: output,
      max_items: maxItemsIn(input),
    });
  });
  return [{ where: OPENAPI, about: '', fact: 'digest', value: at(document, 'info', 'x-offer-digest') }, ...offers];
};

const LISTING = '/.well-known/x402.json';
const INDEX = '/.well-known/x402';

/** The items of the listing, over HTTP and as tools. */
export const listingStatements: Reader = async (site) => {
  const listing = await site.json(LISTING);
  const items = listAt(listing, 'items');
  const stated: Statement = { where: LISTING, about: '', fact: 'digest', value: at(listing, 'offer_digest') };
  return [
    stated,
    ...PAID_ENDPOINTS.flatMap(({ path, toolName }) => [...overHttp(items, path), ...asTool(items, path, toolName)]),
  ];
};

function overHttp(items: unknown[], path: string): Statement[] {
  const item = items.find((one) => at(one, 'type') === 'http' && String(at(one, 'resource', 'url')).endsWith(path));
  const facts = {
    url: at(item, 'resource', 'url'),
    method: at(item, 'input', 'method'),
    ...termsAt(at(item, 'accepts', 0)),
  };
  return statementsOf(LISTING, path, facts);
}

function asTool(items: unknown[], path: string, toolName: string): Statement[] {
  const item = items.find((one) => at(one, 'input', 'toolName') === toolName);
  const facts = { ...termsAt(at(item, 'accepts', 0)), max_items: maxItemsIn(at(item, 'input', 'inputSchema')) };
  return statementsOf(`${LISTING} (tool)`, path, facts);
}

/** The addresses of the early index. */
export const indexStatements: Reader = async (site) => {
  const addresses = listAt(await site.json(INDEX), 'resources');
  return PAID_ENDPOINTS.map(({ path }) => ({
    where: INDEX,
    about: path,
    fact: 'url',
    value: addresses.find((address) => String(address).endsWith(path)),
  }));
};
