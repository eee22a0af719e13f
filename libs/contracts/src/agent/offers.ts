import { type SchemaDocument, published, schemaOf } from '../schema/schema-of';
import { PAID_ENDPOINTS, type PaidEndpoint } from './paid-endpoints';

/**
 * The request body as published: standard keywords of draft 2020-12 only, references inside the document.
 * Any validator accepts what ours accepts; plan has one of two forms.
 */
export const requestSchema = remembered(({ requestForms, title }) => {
  const { $schema, ...schema } = published(schemaOf(requestForms, { closed: true }));
  return { $schema, title: `${title}: request`, ...schema };
});

/**
 * The request body as the capability manifest shows it: one form, that of a single habit where there are two, and without
 * the free-form `metadata`, which is accepted all the same.
 */
export const capabilityRequestSchema = remembered(({ requestForms, title }) => {
  const { $schema, $defs, ...schema } = published(schemaOf(requestForms.at(-1)!, { closed: true }));
  return { $schema, title: `${title}: request`, ...schema, $defs: withoutMetadata($defs) };
});

/** The 200 answer as published. Open: members may be added within a version. */
export const resultSchema = remembered(({ result, title }) => {
  const { $schema, ...schema } = published(schemaOf(result, { closed: false }));
  return { $schema, title: `${title}: result`, ...schema };
});

/** Recipient, token and chain of the payments of a service. */
interface OfferTerms {
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

/** Everything for sale, in the order of the specification. Its digest is in every document that repeats a part of it. */
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

function withoutMetadata($defs: SchemaDocument['$defs']): SchemaDocument['$defs'] {
  return Object.fromEntries(
    Object.entries($defs).map(([name, { properties = {}, ...schema }]) => {
      const { metadata: _, ...shown } = properties;
      return [name, { ...schema, properties: shown }];
    }),
  );
}

/** Reading decorators takes milliseconds, and a dozen documents ask for the same schema. */
function remembered(make: (endpoint: PaidEndpoint) => SchemaDocument): (endpoint: PaidEndpoint) => SchemaDocument {
  const made = new WeakMap<PaidEndpoint, SchemaDocument>();
  return (endpoint) => {
    const schema = made.get(endpoint) ?? make(endpoint);
    made.set(endpoint, schema);
    return schema;
  };
}
