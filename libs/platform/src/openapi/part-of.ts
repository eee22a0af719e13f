import {
  componentSchemas,
  type Class,
  type OpenApiComponents,
  type OpenApiDocument,
  type OpenApiExample,
  type OpenApiMethod,
  type OpenApiOperation,
  type OpenApiPath,
  type OpenApiResponse,
  type ProvokingRequest,
} from '@evenkeel/contracts';
import type { DynamicModule, Type } from '@nestjs/common';
import type { ErrorBody } from '../http';

/** One operation as its controller describes it. */
export interface Route {
  path: string;
  method: OpenApiMethod;
  operation: OpenApiOperation;
}

/** Classes of contracts, whose rules are their schemas (docs/adr/0002). */
export interface Contracts {
  /** What is sent: members that are not known are refused. */
  bodies: readonly Class[];
  /** What is answered: members may be added. */
  answers: readonly Class[];
}

export interface PartOptions {
  info: OpenApiDocument['info'];
  tags: NonNullable<OpenApiDocument['tags']>;
  /** In place of the schemas that Nest reads of classes with these names. */
  contracts?: Contracts;
  /** What is really answered, refusals too, by status. */
  examples(route: Route): Readonly<Record<string, OpenApiExample>>;
  /** Of an answer that its decorator does not describe. */
  description: string;
  /** Paths that no class describes, such as pages: in place of what their controllers say, after all others. */
  pages?: Readonly<Record<string, OpenApiPath>>;
}

/**
 * What an app says of its own routes, in OpenAPI 3.1: read from its controllers and from the classes that they name.
 * Nothing of the app is started.
 */
export async function partOf(module: Type | DynamicModule, options: PartOptions): Promise<OpenApiDocument> {
  const { info, tags, contracts, pages = {} } = options;
  const { paths, components } = await readControllers(module);
  const described = Object.entries(paths).filter(([path]) => !(path in pages));
  const schemas = { ...components!.schemas, ...(contracts && contractSchemas(contracts)) };
  const part = {
    openapi: '3.1.0',
    info,
    tags,
    paths: {
      ...Object.fromEntries(described.map(([path, one]) => [path, withExamples(path, one, options)])),
      ...pages,
    },
    components: { schemas },
  };
  return inVersion31(part) as OpenApiDocument;
}

/** Schemas of contracts as `components.schemas` has them. */
export function contractSchemas({ bodies, answers }: Contracts): NonNullable<OpenApiComponents['schemas']> {
  return { ...componentSchemas(bodies, { closed: true }), ...componentSchemas(answers, { closed: false }) };
}

/**
 * A refusal as it is answered.
 * @param provokedBy what provokes it, where the request of the operation does not
 */
export function refusalExample(body: ErrorBody, provokedBy?: ProvokingRequest): OpenApiExample {
  // Through JSON: a member that is not set is no part of what is answered.
  const value = JSON.parse(JSON.stringify(body)) as ErrorBody;
  return { value, ...(provokedBy && { 'x-request': provokedBy }) };
}

async function readControllers(module: Type | DynamicModule): Promise<OpenApiDocument> {
  // Loaded when needed: a service that only merges parts need not have them.
  const { NestFactory } = await import('@nestjs/core');
  const { FastifyAdapter } = await import('@nestjs/platform-fastify');
  const { DocumentBuilder, SwaggerModule } = await import('@nestjs/swagger');
  const settings = { preview: true, logger: false, abortOnError: false } as const;
  const app = await NestFactory.create(module, new FastifyAdapter(), settings);
  return SwaggerModule.createDocument(app, new DocumentBuilder().build()) as OpenApiDocument;
}

function withExamples(path: string, operations: OpenApiPath, options: PartOptions): OpenApiPath {
  return Object.fromEntries(
    Object.entries(operations).map(([method, { responses, ...operation }]) => {
      const route = { path, method: method as OpenApiMethod, operation: { ...operation, responses } };
      const examples = options.examples(route);
      const described = Object.entries(responses as Record<string, OpenApiResponse>).map(([status, response]) => {
        const description = response.description || options.description;
        if (!response.content) return [status, { ...response, description }];
        const [produced, media] = Object.entries(response.content)[0]!;
        // The decorator of an export gives its type to refusals too.
        const type = Number(status) < 400 ? produced : 'application/json';
        const recorded = examples[status];
        const content = { [type]: { ...media, ...(recorded && { examples: { recorded } }) } };
        return [status, { ...response, description, content }];
      });
      return [method, { ...operation, responses: Object.fromEntries(described) as OpenApiOperation['responses'] }];
    }),
  );
}

/** `nullable` is a word of OpenAPI 3.0, which the decorators still write. */
function inVersion31(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(inVersion31);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...members } = node as Record<string, unknown>;
  const all = Object.fromEntries(Object.entries(members).map(([name, member]) => [name, inVersion31(member)]));
  if (nullable !== true) return all;
  return typeof all['type'] === 'string' && !all['enum']
    ? { ...all, type: [all['type'], 'null'] }
    : { anyOf: [all, { type: 'null' }] };
}
