import { API_VERSION, type Operation, type Published, type Schema, STRIPE_MOCK } from '../schema/published';

/** Stripe's description as it is published. */
export interface Description {
  info: { version: string };
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, Schema> };
}

interface DescribedOperation {
  parameters?: { in: string; name: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content: Record<string, { schema: Schema }> }>;
}

/** Objects that we know; any other that could stand in the place of an id is left out. */
const OBJECTS = [
  ...['balance_transaction', 'billing_portal.session', 'charge', 'checkout.session', 'coupon', 'customer'],
  ...[
    'deleted_customer',
    'discount',
    'dispute',
    'error',
    'event',
    'invoice',
    'invoice_payment',
    'item',
    'line_item',
    'payment_intent',
  ],
  ...['payment_method', 'plan', 'price', 'product', 'refund', 'subscription', 'subscription_item'],
];

/** Kept as any object: other ways to pay, taxes, accounts of others. */
const OPEN =
  /(payment_method_options|_next_action|^(account|application|bank_account|card|setup_intent|source|tax_id|tax_rate|promotion_code|file|rule)$|shipping|tax_id|transfer|radar)/;

/** Parameters that we never send. */
const UNUSED =
  /^(payment_method_options|payment_settings|payment_method_data|schedule_details|customer_details|invoice_items|add_invoice_items|billing_schedules|shipping|shipping_options|shipping_address_collection|branding_settings|optional_items|custom_fields|invoice_creation|payment_intent_data|tax_id_data)$/;

/** Of the many ways to pay, cards alone. */
const CARD_ONLY = new Set(['payment_method', 'payment_method_details', 'refund_destination_details']);

/** Takes what these routes need out of the whole description. @throws Error when a route is unknown there */
export function prune(description: Description, routes: readonly string[]): Published {
  if (description.info.version !== API_VERSION) {
    throw new Error(`The schemas are of version ${description.info.version}, the client pins ${API_VERSION}.`);
  }
  const kept = new Map<string, Schema>();
  const keep = (name: string): void => {
    if (kept.has(name)) return;
    kept.set(name, {});
    kept.set(name, cut(withoutOtherCards(name, description.components.schemas[name]!), keep) as Schema);
  };
  for (const name of OBJECTS) keep(name);
  const operations = routes.toSorted().map((route) => [route, operationOf(description, route, keep)] as const);
  const byName = [...kept].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    apiVersion: API_VERSION,
    source: `${STRIPE_MOCK.module} ${STRIPE_MOCK.version}`,
    operations: Object.fromEntries(operations),
    schemas: Object.fromEntries(byName),
  };
}

function withoutOtherCards(name: string, schema: Schema): Schema {
  if (!CARD_ONLY.has(name)) return schema;
  const properties = Object.entries(schema.properties as Record<string, Schema>);
  const cards = properties.filter(
    ([property, { $ref }]) => $ref === undefined || /^(card|billing_details)$/.test(property),
  );
  return { ...schema, properties: Object.fromEntries(cards) };
}

function operationOf(description: Description, route: string, keep: (name: string) => void): Operation {
  const [method, path] = route.split(' ') as [string, string];
  const template = Object.keys(description.paths).find((known) => known.replace(/\{\w+\}/, ':id') === path);
  const operation = template === undefined ? undefined : description.paths[template]![method.toLowerCase()];
  if (!operation) throw new Error(`Stripe has no call ${route}.`);
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const form = operation.requestBody?.content['application/x-www-form-urlencoded']?.schema;
  return {
    query: Object.fromEntries(query.map(({ name, schema }) => [name, cut(schema, keep) as Schema])),
    form: form ? (cut(withoutUnused(form), keep) as Schema) : null,
    answer: cut(operation.responses['200']!.content['application/json']!.schema, keep) as Schema,
  };
}

function withoutUnused(form: Schema): Schema {
  const used = Object.entries((form.properties ?? {}) as Record<string, Schema>).filter(([name]) => !UNUSED.test(name));
  return { ...form, properties: Object.fromEntries(used) };
}

/** Without explanations, and without what may stand for an id and is not ours. */
function cut(value: unknown, keep: (name: string) => void): unknown {
  if (Array.isArray(value)) return value.map((element) => cut(element, keep));
  if (typeof value !== 'object' || value === null) return value;
  const schema = value as Schema;
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1)!;
    if (OPEN.test(name)) return { type: 'object' };
    keep(name);
    return schema;
  }
  const expandable = schema['x-expansionResources'] !== undefined && Array.isArray(schema.anyOf);
  const ours = ({ $ref }: Schema) => $ref === undefined || OBJECTS.includes(($ref as string).split('/').at(-1)!);
  const shown = expandable ? { ...schema, anyOf: (schema.anyOf as Schema[]).filter(ours) } : schema;
  const members = Object.entries(shown).filter(([name, member]) => !explains(name, member));
  return Object.fromEntries(members.map(([name, member]) => [name, cut(member, keep)]));
}

function explains(name: string, member: unknown): boolean {
  return (name === 'description' && typeof member === 'string') || name === 'title' || name.startsWith('x-');
}

/** One line for each operation and each schema, so that a renewal shows what has changed. */
export function written({ apiVersion, source, operations, schemas }: Published): string {
  const lines = (members: Record<string, unknown>) =>
    Object.entries(members)
      .map(([name, member]) => `${JSON.stringify(name)}: ${JSON.stringify(member)}`)
      .join(',\n');
  return `{
"apiVersion": ${JSON.stringify(apiVersion)},
"source": ${JSON.stringify(source)},
"operations": {
${lines(operations)}
},
"schemas": {
${lines(schemas)}
}
}
`;
}
