import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { at, atomic, listAt } from '../at';
import { claimsOf } from '../claim';
import type { Reader } from './reader';

const PRICES = '/agent/v1/pricing';
const FRONT = '/';

export const priceListClaims: Reader = async (site) => {
  const list = await site.json(PRICES);
  const common = {
    asset: at(list, 'payment', 'asset'),
    network: at(list, 'payment', 'network'),
    pay_to: at(list, 'payment', 'pay_to'),
  };
  const offers = PAID_ENDPOINTS.flatMap(({ path }) => {
    const offer = listAt(list, 'endpoints').find((one) => at(one, 'endpoint') === path);
    return [
      ...claimsOf(PRICES, path, {
        ...common,
        method: at(offer, 'method'),
        price_atomic: at(offer, 'price', 'amount_atomic'),
        max_items: at(offer, 'max_items'),
        timeout_ms: at(offer, 'timeout_ms'),
      }),
      ...claimsOf(`${PRICES} (amount_usd)`, path, { price_atomic: atomic(at(offer, 'price', 'amount_usd')) }),
      ...claimsOf(`${PRICES} (amount_usd_exact)`, path, {
        price_atomic: atomic(at(offer, 'price', 'amount_usd_exact')),
      }),
    ];
  });
  return [{ where: PRICES, about: '', fact: 'digest', value: at(list, 'offer_digest') }, ...offers];
};

export const frontPageClaims: Reader = async (site) => {
  const page = await site.json(FRONT);
  return PAID_ENDPOINTS.flatMap(({ path }) => {
    const offer = listAt(page, 'paid_endpoints').find((one) => at(one, 'path') === path);
    const network = at(page, 'payment', 'network');
    return claimsOf(FRONT, path, {
      network,
      method: at(offer, 'method'),
      price_atomic: atomic(at(offer, 'price_usd')),
    });
  });
};
