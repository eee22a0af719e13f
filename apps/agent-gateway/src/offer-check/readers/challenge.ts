import type { PaidEndpoint } from '@evenkeel/contracts';
import { at, atomic, termsAt } from '../at';
import { claimsOf, type Claim } from '../claim';
import { maxItemsIn, plainSchema } from '../plain-schema';
import type { Reader } from './reader';

/** The live 402 of one endpoint, body and header. */
export const challengeClaims =
  (method: 'GET' | 'POST', { path }: PaidEndpoint): Reader =>
  async (site) => {
    const { body, header } = await site.offer(method, path);
    const where = `${method} ${path}, 402`;
    return [...bodyClaims(`${where} body`, path, body), ...headerClaims(`${where} header`, path, header)];
  };

function bodyClaims(where: string, path: string, body: unknown): Claim[] {
  const schema = at(body, 'extensions', 'bazaar', 'schema');
  const input = plainSchema(at(schema, 'properties', 'input', 'properties', 'body'), schema);
  return [
    { where, about: '', fact: 'digest', value: at(body, 'offer_digest') },
    ...claimsOf(where, path, {
      ...termsAt(body),
      method: at(schema, 'properties', 'input', 'properties', 'method', 'enum', 0),
      input_schema: input,
      output_schema: plainSchema(at(schema, 'properties', 'output', 'properties', 'example'), schema),
      max_items: maxItemsIn(input),
    }),
    ...claimsOf(`${where}, price`, path, { price_atomic: atomic(at(body, 'price', 'usd_exact')) }),
    ...claimsOf(`${where}, accepts`, path, {
      ...termsAt(at(body, 'accepts', 0)),
      url: at(body, 'accepts', 0, 'resource'),
    }),
    ...claimsOf(`${where}, accepts (version 1 name)`, path, {
      price_atomic: at(body, 'accepts', 0, 'maxAmountRequired'),
    }),
  ];
}

function headerClaims(where: string, path: string, header: unknown): Claim[] {
  const input = at(header, 'extensions', 'bazaar', 'schema', 'properties', 'input', 'properties');
  return [
    ...claimsOf(where, path, {
      ...termsAt(header),
      url: at(header, 'resource', 'url'),
      method: at(input, 'method', 'enum', 0),
      max_items: maxItemsIn(at(input, 'body')),
    }),
    ...claimsOf(`${where}, accepts`, path, termsAt(at(header, 'accepts', 0))),
  ];
}
