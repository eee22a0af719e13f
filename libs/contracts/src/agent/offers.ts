import type { SchemaDocument } from '../schema/json-schema';
import { requestSchema, resultSchema } from './endpoint-schemas';
import { PAID_ENDPOINTS } from './paid-endpoints';

/** To whom, in which token, on which chain a service is paid. */
export interface OfferTerms {
  /** CAIP-2 name of the chain. */
  network: string;
  asset: string;
  payTo: string;
}

/** All that a buyer relies on when paying for one endpoint: what is asked, and what comes back. */
export interface Offer {
  path: string;
  method: 'POST';
  /** Micro-USD per request, equal to the atomic amount of the stablecoin, in decimal digits. */
  price_atomic: string;
  asset: string;
  network: string;
  pay_to: string;
  input_schema: SchemaDocument;
  output_schema: SchemaDocument;
}

/** Everything for sale, in the order of the specification. Its digest (D-140) stands in every document that repeats a part of it. */
export function offersOf({ network, asset, payTo }: OfferTerms): Offer[] {
  return PAID_ENDPOINTS.map((endpoint) => ({
    path: endpoint.path,
    method: endpoint.method,
    price_atomic: String(endpoint.priceMicros),
    asset,
    network,
    pay_to: payTo,
    input_schema: requestSchema(endpoint),
    output_schema: resultSchema(endpoint),
  }));
}
