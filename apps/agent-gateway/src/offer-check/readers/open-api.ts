import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { at, atomic } from '../at';
import { claimsOf } from '../claim';
import { maxItemsIn, plainSchema } from '../plain-schema';
import type { Reader } from './reader';

const DOCUMENT = '/openapi.json';
const JSON_TYPE = 'application/json';

export const openApiClaims: Reader = async (site) => {
  const document = await site.json(DOCUMENT);
  const server = at(document, 'servers', 0, 'url');
  const offers = PAID_ENDPOINTS.flatMap(({ path }) => {
    const operation = at(document, 'paths', path, 'post');
    const input = plainSchema(at(operation, 'requestBody', 'content', JSON_TYPE, 'schema'), document);
    const output = plainSchema(at(operation, 'responses', '200', 'content', JSON_TYPE, 'schema'), document);
    return claimsOf(DOCUMENT, path, {
      url: `${String(server)}${path}`,
      method: operation === undefined ? undefined : 'POST',
      price_atomic: atomic(at(operation, 'x-payment-info', 'price', 'amount')),
      input_schema: input,
      output_schema: output,
      max_items: maxItemsIn(input),
    });
  });
  return [{ where: DOCUMENT, about: '', fact: 'digest', value: at(document, 'info', 'x-offer-digest') }, ...offers];
};
