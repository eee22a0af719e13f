import { isNativeError } from 'node:util/types';

const CAUSES_MAX = 3;

/**
 * What a log line says of an error: type, message, code, stack and causes. Other properties are left out, because
 * drivers hang statements and their parameters on them.
 */
export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error || isNativeError(error))) return { type: typeof error };
  const code = (error as { code?: unknown }).code;
  return {
    type: error.constructor.name,
    message: error.message,
    ...(typeof code === 'string' && { code }),
    stack: error.stack,
    ...(error.cause !== undefined && depth < CAUSES_MAX && { cause: describeError(error.cause, depth + 1) }),
  };
}
