import { PROVIDED_CAPABILITIES, providerOf } from '@evenkeel/contracts';
import { at, atomic, listAt } from '../at';
import { claimsOf } from '../claim';
import { plainSchema } from '../plain-schema';
import type { Reader } from './reader';

/** @param where one of the two addresses of the manifest */
export const manifestClaims =
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
      const ofProvider = claimsOf(`${where} (${name})`, path, {
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
      return [...claimsOf(`${where} (payment)`, path, common), ...ofProvider];
    });
    return [{ where, about: '', fact: 'digest', value: at(manifest, 'discovery', 'offer_digest') }, ...offers];
  };
