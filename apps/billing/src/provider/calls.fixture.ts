import type { AnsweredCall } from '@evenkeel/stripe';

/** Calls that the provider refused for their parameters, which it checks by its own schemas, or does not know at all. */
export function wrongCalls(calls: readonly AnsweredCall[]): string[] {
  return calls.flatMap(({ request: { method, path }, route, body }) => {
    const { code = '', message } = (body as { error?: { code?: string; message: string } }).error ?? {};
    const isWrong = route === null || code.startsWith('parameter_');
    return isWrong ? `${method} ${path}: ${message}` : [];
  });
}
