import type { SchemaDocument } from '../schema/json-schema';
import { published } from '../schema/published';
import { schemaOf } from '../schema/schema-of';
import type { PaidEndpoint } from './paid-endpoints';

/**
 * The request body as published: standard keywords of draft 2020-12 only, references inside the document.
 * Any validator reaches the verdict of our own; plan has one of two forms.
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

function withoutMetadata($defs: SchemaDocument['$defs']): SchemaDocument['$defs'] {
  return Object.fromEntries(
    Object.entries($defs).map(([name, { properties = {}, ...schema }]) => {
      const { metadata: _, ...shown } = properties;
      return [name, { ...schema, properties: shown }];
    }),
  );
}

/** The 200 answer as published. Open: members may be added within a version. */
export const resultSchema = remembered(({ result, title }) => {
  const { $schema, ...schema } = published(schemaOf(result, { closed: false }));
  return { $schema, title: `${title}: result`, ...schema };
});

/** Reading decorators takes milliseconds, and a dozen documents ask for the same schema. */
function remembered(make: (endpoint: PaidEndpoint) => SchemaDocument): (endpoint: PaidEndpoint) => SchemaDocument {
  const made = new WeakMap<PaidEndpoint, SchemaDocument>();
  return (endpoint) => {
    const schema = made.get(endpoint) ?? make(endpoint);
    made.set(endpoint, schema);
    return schema;
  };
}
