import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { atomic } from '../at';
import { claimsOf } from '../claim';
import type { Reader } from './reader';

const GUIDE = '/llms.txt';
const TERMS = /Paid in .* \((0x\w+)\) on (\S+) to (0x\w+)/;

/** What a reader of the text takes from it. */
export const guideClaims: Reader = async (site) => {
  const text = await site.text(GUIDE);
  const [, asset, network, payTo] = TERMS.exec(text) ?? [];
  const digest = /Digest of everything for sale: (\w+)/.exec(text)?.[1];
  const maxItems = Number(/for 1 to (\d+) items/.exec(text)?.[1]);
  const timeoutMs = Number(/an answer within (\d+) ms/.exec(text)?.[1]);
  const offers = PAID_ENDPOINTS.flatMap(({ path }) => {
    const line = text.split('\n').find((one) => one.startsWith('- ') && one.includes(` ${path} `));
    const [, method, usd] = /^- (\w+) \S+ ([\d.]+) USD/.exec(line ?? '') ?? [];
    const terms = { asset, network, pay_to: payTo, max_items: maxItems, timeout_ms: timeoutMs };
    return claimsOf(GUIDE, path, { method, price_atomic: atomic(usd), ...terms });
  });
  return [{ where: GUIDE, about: '', fact: 'digest', value: digest }, ...offers];
};
