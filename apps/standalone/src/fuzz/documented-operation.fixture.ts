import {
  isInstant,
  LIMITED_IN_WORDS,
  type JsonSchema,
  type OpenApiDocument,
  type OpenApiMethod,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiResponse,
} from '@evenkeel/contracts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Marks what a description limits further. */
const [LIMITED] = Object.keys(LIMITED_IN_WORDS) as [keyof typeof LIMITED_IN_WORDS];

const FORMATS = {
  'date-time': isInstant,
  date: (text: string) => DAY.test(text) && new Date(text).toISOString().startsWith(text),
  uuid: UUID,
  email: EMAIL,
  uri: (text: string) => URL.canParse(text),
  password: true,
  binary: true,
} as const;

/** A document as its readers have it: its operations, and its schemas as functions. */
export class ReadDocument {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: false, formats: FORMATS });

  constructor(readonly document: OpenApiDocument) {
    this.ajv.addSchema(document, 'openapi');
  }

  get operations(): DocumentedOperation[] {
    return Object.entries(this.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => typeof operation === 'object' && 'responses' in operation)
        .map(([method, operation]) => new DocumentedOperation(path, method as OpenApiMethod, operation, this)),
    );
  }

  resolved(schema: JsonSchema): JsonSchema {
    return schema.$ref === undefined ? schema : this.resolved(this.at(schema.$ref) as JsonSchema);
  }

  at(reference: string): unknown {
    return namesIn(reference).reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], this.document);
  }

  /** @param place names on the way from the root of the document */
  validator(place: readonly string[]): ValidateFunction {
    const pointer = place.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    return this.ajv.getSchema(`openapi#/${pointer}`)!;
  }

  faults(validate: ValidateFunction, value: unknown): string {
    return validate(value) ? '' : this.ajv.errorsText(validate.errors);
  }
}

/** One operation, with what its requests may be and what its answers are. */
export class DocumentedOperation {
  readonly parameters: readonly OpenApiParameter[];
  /** Names of members and parameters of which the document says that their description limits them too. */
  readonly limitedInWords: ReadonlySet<string>;

  constructor(
    readonly path: string,
    readonly method: OpenApiMethod,
    readonly operation: OpenApiOperation,
    readonly read: ReadDocument,
  ) {
    this.parameters = operation.parameters ?? [];
    const sent = [
      ...this.parameters.map(({ name, schema }) => ({ properties: { [name]: schema } })),
      this.body?.schema,
    ];
    this.limitedInWords = new Set(sent.flatMap((schema) => this.namesInWords(schema)));
  }

  get title(): string {
    return `${this.method.toUpperCase()} ${this.path}`;
  }

  get isSold(): boolean {
    return 'x-payment-info' in this.operation;
  }

  /** Names of the schemes that open it; empty where anybody may call. */
  get schemes(): string[] {
    return this.operation.security.flatMap((one) => Object.keys(one));
  }

  /** The type of its body and the schema of that; undefined for an operation without one. */
  get body(): { type: string; schema: JsonSchema; required: boolean } | undefined {
    const { requestBody } = this.operation;
    const [first] = Object.entries(requestBody?.content ?? {});
    return first && { type: first[0], schema: first[1].schema, required: requestBody!.required };
  }

  private namesInWords(given: JsonSchema | undefined): string[] {
    if (given === undefined) return [];
    const { properties = {}, items, anyOf = [], oneOf = [] } = this.read.resolved(given);
    const named = Object.entries(properties).filter(([, schema]) => LIMITED in schema);
    const inside = [...Object.values(properties), items, ...anyOf, ...oneOf];
    return [...named.map(([name]) => name), ...inside.flatMap((schema) => this.namesInWords(schema))];
  }

  fitsBody(): ValidateFunction {
    return this.validator('requestBody', 'content', this.body!.type, 'schema');
  }

  fitsParameter(parameter: OpenApiParameter): ValidateFunction {
    return this.validator('parameters', String(this.parameters.indexOf(parameter)), 'schema');
  }

  private validator(...place: string[]): ValidateFunction {
    return this.read.validator(['paths', this.path, this.method, ...place]);
  }

  /** The answer of a status, and where it stands; undefined for one that is not documented. */
  answer(status: number): { response: OpenApiResponse; place: string[] } | undefined {
    const found = this.operation.responses[status];
    if (!found) return undefined;
    if ('$ref' in found) return { response: this.read.at(found.$ref) as OpenApiResponse, place: namesIn(found.$ref) };
    return { response: found, place: ['paths', this.path, this.method, 'responses', String(status)] };
  }
}

function namesIn(reference: string): string[] {
  const names = reference.replace('#/', '').split('/');
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}
