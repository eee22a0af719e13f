import { WrongAnswer } from '../traffic/caller';
import { KINDS, kindOf, type Ending, type RequestKind, type Thing } from '../traffic/traffic';
import { atShare, sentenceOf } from '../rehearsal';
import type { Fault } from './lines';

/** Paths of buyers: what is 503 elsewhere is 502 there, with more to say. */
const PAID_KINDS: readonly RequestKind[] = ['paid', 'repeat', 'credit'];
const PAID_ERRORS = ['payment_verification_unavailable', 'settlement_unknown'];

/** A fault of one thing, with its beginning and end as `performance.now()` has them. */
export interface Phase {
  thing: Thing;
  fault: Fault;
  from: number;
  until: number;
  /** A sentence for each process that ended, or was started again. */
  ended: string[];
}

export const BACK_WITHIN_MS = 5_000;
const OTHERS_P99_MS = 1_000;
/** No answer may take longer, whatever fails. */
const HANG_MS = 5_000;
/** Where a database does not answer. */
const FAST_MS = 3_000;
/** The edge says 502 of a request whose process was killed. */
const REFUSALS = [429, 502, 503];

/**
 * The wrong answers around one fault, a sentence each, and how it was in milliseconds.
 * @param answers that ended since it began, and before the next one did
 */
export function phaseVerdict({ thing, fault, until, ended }: Phase, answers: readonly Ending[]) {
  const name = `${thing} ${fault}`;
  const needs = ({ kind }: { kind: RequestKind }): boolean => kindOf(kind).needs.includes(thing);
  const during = answers.filter(({ at }) => at < until + BACK_WITHIN_MS);
  const later = answers.filter(({ at, error }) => error && at >= until + BACK_WITHIN_MS);
  const limit = thing.endsWith('-database') && fault !== 'slow' ? FAST_MS : HANG_MS;
  const found = KINDS.flatMap((kind) => {
    const own = during.filter((answer) => answer.kind === kind);
    if (own.length === 0) return [`no request of ${kind} was sent meanwhile`];
    if (needs({ kind }))
      // Failures are allowed to those who need the thing: soon, and in the documented words.
      return own.flatMap((answer) => [
        ...(answer.ms > limit ? [`an answer took too long: ${sentenceOf(answer)}`] : []),
        ...(answer.error && !isDocumented(answer) ? [`not a documented failure: ${sentenceOf(answer)}`] : []),
      ]);
    const slow = Math.round(p99(own));
    return [
      ...own.filter(({ error }) => error).map((answer) => `it is not needed, and ${sentenceOf(answer)}`),
      ...(slow > OTHERS_P99_MS ? [`it is not needed, and p99 of ${kind} is ${slow} ms`] : []),
    ];
  });
  const failed = answers.filter(({ error }) => error);
  return {
    row: [
      name,
      answers.length,
      failed.length,
      Math.round(p99(during.filter((answer) => !needs(answer)))),
      Math.round(Math.max(0, ...failed.filter(needs).map(({ at }) => at - until))),
    ],
    wrong: [...found, ...later.map((answer) => `still after its end: ${sentenceOf(answer)}`), ...ended].map(
      (text) => `${name}: ${text}`,
    ),
  };
}

/** Whatever fails meanwhile, nobody waits for longer than five seconds, and each refusal is in the documented words. */
export function wrongInFaults(answers: readonly Ending[]): string[] {
  return answers.flatMap((answer) => [
    ...(answer.ms > HANG_MS ? [`P9: an answer took too long: ${sentenceOf(answer)}`] : []),
    ...(answer.error && !REFUSALS.includes(refusalOf(answer)?.status ?? 0)
      ? [`P9: not a documented failure: ${sentenceOf(answer)}`]
      : []),
  ]);
}

/** With a code, a sentence and when to come again; undefined for what is no such answer. */
function refusalOf({ error }: Ending): { status: number; code: string } | undefined {
  if (!(error instanceof WrongAnswer)) return undefined;
  const { status, text, headers } = error.reply;
  const [, code] = /"error":"(\w+)"/.exec(text) ?? [];
  const isWhole = text.includes('"message":"') && headers['retry-after'] !== undefined;
  return code !== undefined && isWhole ? { status, code } : undefined;
}

function isDocumented(answer: Ending): boolean {
  const { status, code = '' } = refusalOf(answer) ?? {};
  if (!PAID_KINDS.includes(answer.kind)) return status === 503 && code === 'service_unavailable';
  return status === 429 || (status === 502 && PAID_ERRORS.includes(code));
}

function p99(answers: readonly Ending[]): number {
  return atShare(
    answers.map(({ ms }) => ms),
    0.99,
  );
}
