import { hasTrimmedLength, isInstant, type CharacterRange, type JsonSchema } from '@evenkeel/contracts';
import Ajv2020 from 'ajv/dist/2020';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

let shared: Ajv2020 | undefined;

/**
 * Turns a schema into a function that says yes or no: 1 or 2 us where class-validator takes 300. Compiling takes
 * milliseconds: once, at start.
 * @throws Error for a schema with a keyword or format that it does not know
 */
export function compileValidator(schema: JsonSchema): (value: unknown) => boolean {
  shared ??= withOurKeywords();
  return shared.compile(schema);
}

function withOurKeywords(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, formats: { 'date-time': isInstant, uuid: UUID } });
  return ajv.addKeyword({
    keyword: 'trimmedLength',
    type: 'string',
    schemaType: 'object',
    errors: false,
    compile: (range: CharacterRange) => (text: string) => hasTrimmedLength(text, range),
  });
}
