import { ERROR_CODES } from '@evenkeel/contracts';
import type { DocumentedOperation } from './documented-operation.fixture';

export interface PlainAnswer {
  status: number;
  /** Without its parameters; empty where there is none. */
  type: string;
  text: string;
}

/** Refusals of what was sent, by its form alone. */
const REFUSALS_OF_FORM = new Set(['validation_failed', 'malformed_json']);
const MEANINGS: Readonly<Record<string, { status: number } | undefined>> = ERROR_CODES;
interface Issue {
  path: string;
  message: string;
}

/**
 * The undocumented parts of an answer; empty when it has none.
 * @param fits whether the document allows the request; null where that is not asked
 */
export function faultsOf(operation: DocumentedOperation, answer: PlainAnswer, fits: boolean | null): string[] {
  const { status, text } = answer;
  const documented = operation.answer(status);
  const faults = documented ? contentFaults(operation, answer, documented) : [`${status} is not documented`];
  const { error, details } = status >= 400 ? refusalIn(text) : {};
  const code = typeof error === 'string' ? error : undefined;
  if (code !== undefined && MEANINGS[code]?.status !== status) faults.push(`${code} is not explained for ${status}`);
  const issues = (status === 400 && details?.issues) || [];
  if (issues.some(({ message }) => !/\w{2}/.test(message))) faults.push('an issue without a sentence');
  const isInWords = issues.some(({ path }) => operation.limitedInWords.has(path.split('/').at(-1)!));
  if (fits === true && REFUSALS_OF_FORM.has(code ?? '') && !isInWords) {
    faults.push('refuses what the document allows');
  }
  if (fits === false && status < 300 && !text.includes('"status":"rejected"')) {
    faults.push('takes what the document does not allow');
  }
  return faults;
}

function contentFaults(
  { read }: DocumentedOperation,
  { status, type, text }: PlainAnswer,
  { response, place }: NonNullable<ReturnType<DocumentedOperation['answer']>>,
): string[] {
  const types = Object.keys(response.content ?? {});
  if (types.length === 0) return text === '' ? [] : [`${status} has a body that is not documented`];
  if (!types.includes(type)) return [`${status} comes as ${type || 'nothing'}, documented is ${types.join(', ')}`];
  const value: unknown = type.endsWith('json') ? parsed(text) : text;
  const fault = read.faults(read.validator([...place, 'content', type, 'schema']), value);
  return fault === '' ? [] : [`${status} does not fit its schema: ${fault}`];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusalIn(text: string): { error?: unknown; details?: { issues?: Issue[] } } {
  return parsed(text) ?? {};
}
