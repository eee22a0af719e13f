import type { SchemaDocument } from '../schema/json-schema';
import { published } from '../schema/published';
import { schemaOf } from '../schema/schema-of';
import type { PaidEndpoint } from './paid-endpoints';

/**
 * The request body as published: standard keywords of draft 2020-12 only, references inside the document.
 * Any validator reaches the verdict of our own; plan has one of two forms.
 */
export function requestSchema({ requestForms, title }: PaidEndpoint): SchemaDocument {
  const { $schema, ...schema } = published(schemaOf(requestForms, { closed: true }));
  return { $schema, title: `${title}: request`, ...schema };
}

/** The 200 answer as published. Open: members may be added within a version. */
export function resultSchema({ result, title }: PaidEndpoint): SchemaDocument {
  const { $schema, ...schema } = published(schemaOf(result, { closed: false }));
  return { $schema, title: `${title}: result`, ...schema };
}
