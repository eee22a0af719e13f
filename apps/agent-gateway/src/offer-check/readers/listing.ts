import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { at, listAt, termsAt } from '../at';
import { claimsOf, type Claim } from '../claim';
import { maxItemsIn } from '../plain-schema';
import type { Reader } from './reader';

const LISTING = '/.well-known/x402.json';
const INDEX = '/.well-known/x402';

/** The items of the listing, over HTTP and as tools. */
export const listingClaims: Reader = async (site) => {
  const listing = await site.json(LISTING);
  const items = listAt(listing, 'items');
  const stated: Claim = { where: LISTING, about: '', fact: 'digest', value: at(listing, 'offer_digest') };
  return [
    stated,
    ...PAID_ENDPOINTS.flatMap(({ path, toolName }) => [...overHttp(items, path), ...asTool(items, path, toolName)]),
  ];
};

function overHttp(items: unknown[], path: string): Claim[] {
  const item = items.find((one) => at(one, 'type') === 'http' && String(at(one, 'resource', 'url')).endsWith(path));
  const facts = {
    url: at(item, 'resource', 'url'),
    method: at(item, 'input', 'method'),
    ...termsAt(at(item, 'accepts', 0)),
  };
  return claimsOf(LISTING, path, facts);
}

function asTool(items: unknown[], path: string, toolName: string): Claim[] {
  const item = items.find((one) => at(one, 'input', 'toolName') === toolName);
  const facts = { ...termsAt(at(item, 'accepts', 0)), max_items: maxItemsIn(at(item, 'input', 'inputSchema')) };
  return claimsOf(`${LISTING} (tool)`, path, facts);
}

/** The addresses of the early index. */
export const indexClaims: Reader = async (site) => {
  const addresses = listAt(await site.json(INDEX), 'resources');
  return PAID_ENDPOINTS.map(({ path }) => ({
    where: INDEX,
    about: path,
    fact: 'url',
    value: addresses.find((address) => String(address).endsWith(path)),
  }));
};
