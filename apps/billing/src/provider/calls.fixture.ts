import type { AnsweredCall } from '@evenkeel/stripe';
import { billingCallOf, billingCalls, shapeOf } from '@evenkeel/stripe/billing-calls';
import { wrongCall } from '@evenkeel/stripe/schema-check';

/** What is wrong with calls by the schemas of the provider. */
export function wrongCalls(calls: readonly AnsweredCall[]): string[] {
  return calls.flatMap((call) => wrongCall(call) ?? []);
}

/** Calls that `npm run stripe:check` does not send yet. To have them recorded: the spec that is named. */
export function unknownCalls(calls: readonly AnsweredCall[]): string[] {
  const known = new Set(billingCalls().map(shapeOf));
  const made = new Set(calls.map((call) => shapeOf(billingCallOf(call))));
  return [...made]
    .filter((shape) => !known.has(shape))
    .map((shape) => `${shape}: to be recorded in provider/recorded-calls.int.spec.ts`);
}
