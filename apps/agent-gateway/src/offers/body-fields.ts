import { requestSchema, type JsonSchema, type PaidEndpoint } from '@evenkeel/contracts';

/** The members of the request body, as version 1 listings read them. */
export function bodyFields(endpoint: PaidEndpoint): object {
  const { properties = {}, required = [] } = firstForm(requestSchema(endpoint));
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      {
        type: schema.type,
        required: required.includes(name),
        description: schema.description,
        default: schema.default,
      },
    ]),
  );
}

/** The schema of the first form a body may have (plan has two): what compact descriptions show. */
export function firstForm(schema: JsonSchema): JsonSchema {
  const form = schema.oneOf?.[0];
  return form ? { ...resolve(form, schema), $defs: schema.$defs } : schema;
}

/** Follows a reference into the schema's own `$defs`. */
export function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const name = schema.$ref?.replace('#/$defs/', '');
  return name === undefined ? schema : (root.$defs?.[name] ?? {});
}
