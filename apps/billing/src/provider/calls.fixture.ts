import type { AnsweredCall } from '@evenkeel/stripe';
import { wrongCall } from '@evenkeel/stripe/schema-check';

/** What is wrong with calls by the schemas of the provider. */
export function wrongCalls(calls: readonly AnsweredCall[]): string[] {
  return calls.flatMap((call) => wrongCall(call) ?? []);
}
