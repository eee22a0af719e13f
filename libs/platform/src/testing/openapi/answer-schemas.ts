import type { OpenApiDocument } from '@evenkeel/contracts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import type { DocumentedAnswer } from './documented-answers';

/** Judges answers by the schemas of an OpenAPI document. */
export class AnswerSchemas {
  private readonly ajv = new Ajv2020({ strict: false, validateFormats: false });

  constructor(document: OpenApiDocument) {
    this.ajv.addSchema(document, 'openapi');
  }

  /**
   * What is wrong with a body, with the example, or with their schema when it takes anything; empty when all is well.
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
