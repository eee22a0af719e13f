import {
  forGenerators,
  componentSchemas,
  rewritten,
  type Class,
  type OpenApiComponents,
  type OpenApiContent,
  type OpenApiDocument,
  type OpenApiExample,
  type OpenApiMethod,
  type OpenApiOperation,
  type OpenApiPath,
} from '@evenkeel/contracts';
import { Logger, type DynamicModule, type Type } from '@nestjs/common';
import { ruledClasses, withRefusalsOfBodies, withRules } from './body-rules';
import { mapOperations, mapped } from './documents';

/** One operation as its controller describes it. */
export interface Route {
  path: string;
  method: OpenApiMethod;
  operation: OpenApiOperation;
}

/** Classes of contracts, whose rules are their schemas (docs/adr/0002). */
interface Contracts {
  /** Classes of requests: unknown members are refused. */
  bodies: readonly Class[];
  /** Classes of answers: members may be added. */
  answers: readonly Class[];
}

type Schemas = NonNullable<OpenApiComponents['schemas']>;
type Media = OpenApiContent[string];

export interface PartOptions {
  info: OpenApiDocument['info'];
  servers?: OpenApiDocument['servers'];
  tags: NonNullable<OpenApiDocument['tags']>;
  /** In place of the schemas that Nest reads of classes with these names; those to which nothing refers are left out. */
  contracts?: Contracts;
  /** Parts that several answers share: headers, and whole answers. */
  components?: Pick<OpenApiComponents, 'headers' | 'responses'>;
  /** Real answers, refusals too, by status; for answers without an example in a decorator. */
  examples(route: Route): Readonly<Record<string, OpenApiExample>>;
  /** Of an answer that its decorator does not describe. */
  description: string;
  /** Paths that no class describes, such as pages: in place of what their controllers say. */
  pages?: Readonly<Record<string, OpenApiPath>>;
}

/**
 * The OpenAPI 3.1 part of an app: read from its controllers and from the classes that they name.
 * Nothing of the app is started.
 * @throws Error when two classes of it have one name
 */
export async function partOf(module: Type | DynamicModule, options: PartOptions): Promise<OpenApiDocument> {
  const { info, servers, tags, contracts, components, pages = {} } = options;
  const stated = await readControllers(module);
  const described = mapOperations(stated.paths, (operation, path, method) =>
    withAnswers({ path, method, operation: withRefusalsOfBodies(operation) }, options),
  );
  const paths = { ...described, ...pages };
  const contracted = contracts ? referredTo(contractSchemas(contracts), [paths, components]) : {};
  // Those of contracts first, and once more: they replace the schemas that Nest reads of the same classes.
  const schemas = { ...contracted, ...stated.components!.schemas, ...contracted };
  const part = {
    openapi: '3.1.0',
    info,
    ...(servers && { servers }),
    tags,
    paths,
    components: { schemas, ...components },
  };
  return forGenerators(rewritten(part, inVersion31)) as OpenApiDocument;
}

/** Schemas of contracts as `components.schemas` has them. */
function contractSchemas({ bodies, answers }: Contracts): Schemas {
  return { ...componentSchemas(bodies, { closed: true }), ...componentSchemas(answers, { closed: false }) };
}

/** Those of the schemas that are referred to, also by one another. */
function referredTo(schemas: Schemas, from: unknown): Schemas {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    for (const [, name] of JSON.stringify(node ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name!)) continue;
      found.add(name!);
      visit(schemas[name!]);
    }
  };
  visit(from);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)));
}

async function readControllers(module: Type | DynamicModule): Promise<OpenApiDocument> {
  // Loaded when needed: a service that only merges parts need not have them.
  const { NestFactory } = await import('@nestjs/core');
  const { FastifyAdapter } = await import('@nestjs/platform-fastify');
  const { DocumentBuilder, SwaggerModule } = await import('@nestjs/swagger');
  const settings = { preview: true, logger: false, abortOnError: false } as const;
  const app = await NestFactory.create(module, new FastifyAdapter(), settings);
  const warn = Logger.warn.bind(Logger);
  // Nest only warns of two classes of one name, of which the document would show the last for both.
  Logger.warn = (warning: string) => {
    throw new Error(warning);
  };
  let document: OpenApiDocument;
  try {
    document = SwaggerModule.createDocument(app, new DocumentBuilder().build()) as OpenApiDocument;
  } finally {
    Logger.warn = warn;
  }
  const { schemas = {}, ...components } = document.components!;
  return { ...document, components: { ...components, schemas: withRules(schemas, ruledClasses(app)) } };
}

function withAnswers(route: Route, options: PartOptions): OpenApiOperation {
  const examples = options.examples(route);
  const responses = mapped(route.operation.responses, (response, status) => {
    if ('$ref' in response) return { $ref: response.$ref };
    const description = response.description || options.description;
    if (!response.content) return { ...response, description };
    const [[type, media], ...others] = Object.entries(response.content) as [[string, Media], ...[string, Media][]];
    const recorded = examples[status];
    const exemplified = { ...media, ...(recorded && !media.examples && { examples: { recorded } }) };
    return { ...response, description, content: { [type]: exemplified, ...Object.fromEntries(others) } };
  });
  return { ...route.operation, responses };
}

/** `nullable` is a word of OpenAPI 3.0, which the decorators still write. */
function inVersion31({ nullable, ...node }: Record<string, unknown>): object {
  if (nullable !== true) return node;
  return typeof node['type'] === 'string' && !node['enum'] && !node['allOf']
    ? { ...node, type: [node['type'], 'null'] }
    : { anyOf: [node, { type: 'null' }] };
}
