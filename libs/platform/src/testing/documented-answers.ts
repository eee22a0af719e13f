import type {
  OpenApiDocument,
  OpenApiExample,
  OpenApiMethod,
  OpenApiOperation,
  OpenApiResponse,
  ProvokingRequest,
} from '@evenkeel/contracts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';

/** One answer that a document describes, with the request that it gives for it. */
export interface DocumentedAnswer {
  path: string;
  method: OpenApiMethod;
  status: number;
  /** Of the example; null where the answer has no body. */
  name: string | null;
  value: unknown;
  request: ProvokingRequest;
  operation: OpenApiOperation;
  response: OpenApiResponse;
}

/** Every answer in a document, those that have no example yet among them: to record one. */
export function answersToRecord({ paths, components }: OpenApiDocument): DocumentedAnswer[] {
  const none = { name: null, value: undefined, request: {} };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      Object.entries(operation.responses).map(([status, answer]) => {
        const shared = '$ref' in answer ? answer.$ref.replace('#/components/responses/', '') : undefined;
        const response = shared === undefined ? (answer as OpenApiResponse) : components!.responses![shared]!;
        return { path, method: method as OpenApiMethod, status: Number(status), operation, response, ...none };
      }),
    ),
  );
}

/**
 * Every example of every answer in a document, and every answer without a body.
 * @throws Error for an answer with a body and no example
 */
export function documentedAnswers(document: OpenApiDocument): DocumentedAnswer[] {
  return answersToRecord(document).flatMap((answer) => {
    const { path, method, status, operation, response } = answer;
    const examples = examplesOf(response);
    if (examples.length === 0) throw new Error(`${method} ${path} has no example of its answer ${status}`);
    return examples.map(([name, { value, 'x-request': request }]) => ({
      ...answer,
      name,
      value,
      request: request ?? { body: requestBody(operation, name) },
    }));
  });
}

const UUID = /^[0-9a-f-]{36}$/;

/** The names of the members, at every depth; a list has those of its first item. Types are for the schema. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return true;
  const members = Object.entries(value).map(([name, member]) => [UUID.test(name) ? 'id' : name, shapeOf(member)]);
  return Object.fromEntries(members);
}

function examplesOf({ content }: OpenApiResponse): [string | null, OpenApiExample][] {
  if (!content) return [[null, { value: undefined }]];
  return Object.values(content).flatMap(({ examples = {} }) => Object.entries(examples));
}

/** The example of the request that has the name of the answer; else the first, for answers that any request may meet. */
function requestBody({ requestBody: body }: OpenApiOperation, name: string | null): unknown {
  const examples = Object.values(body?.content ?? {})[0]?.examples ?? {};
  return (examples[name ?? ''] ?? Object.values(examples)[0])?.value;
}

/** Validates answers against the schemas of an OpenAPI document. */
export class AnswerSchemas {
  private readonly ajv = new Ajv2020({ strict: false, validateFormats: false });

  constructor(private readonly document: OpenApiDocument) {
    this.ajv.addSchema(document, 'openapi');
  }

  /**
   * Faults of a body, of the example, or of their schema when it takes anything; empty when all is well.
   * @param body parsed where it is JSON, else its text
   */
  faultsOf(answer: DocumentedAnswer, body: unknown): string[] {
    const validate = this.schemaOf(answer);
    const faults: string[] = [];
    if (!validate(answer.value)) faults.push(`the example: ${this.ajv.errorsText(validate.errors)}`);
    if (!validate(body)) faults.push(`the answer: ${this.ajv.errorsText(validate.errors)}`);
    if (validate(null) || validate(spoiled(body))) faults.push('the schema takes anything');
    return faults;
  }

  /**
   * Faults of an answer to another request than that of an example.
   * @throws Error when the operation has no such answer
   */
  faultsIn(operationId: string, { status, body }: { status: number; body: unknown }): string[] {
    const answer = documentedAnswers(this.document).find(
      (one) => one.operation.operationId === operationId && one.status === status,
    );
    if (!answer) throw new Error(`${operationId} has no answer ${status}: ${JSON.stringify(body)}`);
    return this.faultsOf(answer, body);
  }

  /** By its JSON Pointer, through shared answers. */
  private schemaOf({ path, method, status, operation, response }: DocumentedAnswer): ValidateFunction {
    const answer = operation.responses[status]!;
    const place = '$ref' in answer ? answer.$ref : `#/paths/${step(path)}/${method}/responses/${status}`;
    const [type] = Object.keys(response.content!);
    const pointer = `${place}/content/${step(type!)}/schema`.split('/').map(encodeURIComponent).join('/');
    return this.ajv.getSchema(`openapi${pointer.replace('%23', '#')}`)!;
  }
}

function step(text: string): string {
  return text.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The first member with a value of another type: a schema must see it. */
function spoiled(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return {};
  const [[name, value] = ['', null]] = Object.entries(body);
  return { ...body, [name]: typeof value === 'object' ? 0 : {} };
}
