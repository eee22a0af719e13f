import { type Ending, type RequestKind, WrongAnswer } from '../cluster';
import type { LineState, Thing } from './lines';

/** The things that a request cannot be answered without. Whatever else fails, it is answered as ever. */
const NEEDS: Readonly<Record<RequestKind, readonly Thing[]>> = {
  discovery: [],
  challenge: [],
  paid: ['agent-gateway-database', 'facilitator'],
  repeat: ['agent-gateway-database'],
  credit: ['agent-gateway-database'],
  login: ['accounts-database'],
  read: ['accounts-database'],
  log: ['accounts-database'],
  analyze: ['accounts-database'],
  webhook: ['billing-database'],
  summary: ['reporting-database'],
  register: ['accounts-database'],
  plan: ['billing-database'],
  checkout: ['billing-database', 'stripe'],
};

/** Paths of buyers: what is 503 elsewhere is 502 there, with more to say. */
const PAID_KINDS: readonly RequestKind[] = ['paid', 'repeat', 'credit'];

/** Repeats and credits buy, where there is nothing to repeat or no credit to spend. */
function needs(kind: RequestKind, thing: Thing): boolean {
  return NEEDS[kind === 'repeat' || kind === 'credit' ? 'paid' : kind].includes(thing);
}

export type Fault = Exclude<LineState, 'flowing'>;

/** A fault of one thing, with its beginning and end as `performance.now()` has them. */
export interface Phase {
  thing: Thing;
  fault: Fault;
  from: number;
  until: number;
}

export const BACK_WITHIN_MS = 5_000;
const OTHERS_P99_MS = 1_000;
/** No answer may take longer, whatever fails. */
const HANG_MS = 5_000;
/** Where a database does not answer. */
const FAST_MS = 3_000;
/** The edge says 502 of a request whose process was killed. */
const REFUSALS = [429, 502, 503];
const PAID_ERRORS = ['payment_verification_unavailable', 'settlement_unknown'];

/**
 * The wrong answers around one fault: a sentence each.
 * @param answers that ended since it began, and before the next one did
 */
export function wrongIn(phase: Phase, answers: readonly Ending[]): string[] {
  const { until, thing, fault } = phase;
  const during = answers.filter(({ at }) => at < until + BACK_WITHIN_MS);
  const after = answers.filter(({ at }) => at >= until + BACK_WITHIN_MS);
  const kinds = Object.keys(NEEDS) as RequestKind[];
  const found = kinds.flatMap((kind) => {
    const [its, later] = [during, after].map((some) => some.filter((answer) => answer.kind === kind));
    return [
      ...(its!.length === 0 ? [`no request of ${kind} was sent meanwhile`] : []),
      ...(needs(kind, thing) ? failures(phase, its!) : untouched(kind, its!)),
      ...later!.filter(isWrong).map((answer) => `${backAfter(phase, answer)}: ${sentence(answer)}`),
    ];
  });
  return found.map((text) => `${thing} ${fault}: ${text}`);
}

/** From the end of the fault to the last request that was sent and not answered as ever, in milliseconds. */
export function backAfterMs({ thing, until }: Phase, answers: readonly Ending[]): number {
  const wrong = answers.filter((answer) => isWrong(answer) && needs(answer.kind, thing));
  return Math.max(0, ...wrong.map(({ at }) => at - until));
}

/** The longest that 99 of 100 requests of the kinds that do not need the thing took, in milliseconds. */
export function othersP99({ thing, until }: Phase, answers: readonly Ending[]): number {
  const others = answers.filter(({ at, kind }) => at < until + BACK_WITHIN_MS && !needs(kind, thing));
  return p99(others);
}

/** The longest that 99 of 100 documents and unpaid 402 took, in milliseconds: they need nothing. */
export function documentsP99({ until }: Phase, answers: readonly Ending[]): number {
  return p99(answers.filter(({ at, kind }) => at < until && NEEDS[kind].length === 0));
}

/** All of it was answered as ever, in a time without faults. */
export function wrongInCalm(answers: readonly Ending[]): string[] {
  return answers.filter(isWrong).map((answer) => `without a fault: ${sentence(answer)}`);
}

/**
 * Whatever fails meanwhile, nobody waits for longer than five seconds, and each refusal is in the documented words.
 * @param begun when the times of the report count from
 */
export function wrongInFaults(answers: readonly Ending[], begun: number): string[] {
  return answers.flatMap((answer) => {
    const told = `${sentence(answer)}, sent at ${((answer.at - begun) / 1_000).toFixed(1)} s`;
    return [
      ...(answer.ms > HANG_MS ? [`P9: an answer took ${Math.round(answer.ms)} ms: ${told}`] : []),
      ...(isWrong(answer) && !REFUSALS.includes(refusalOf(answer)?.status ?? 0)
        ? [`P9: not a documented failure: ${told}`]
        : []),
    ];
  });
}

/** Processes that ended, or were started again. */
export function restarted(
  before: ReadonlyMap<string, number | undefined>,
  after: ReadonlyMap<string, number | undefined>,
): string[] {
  return [...before].flatMap(([name, pid]) => {
    const now = after.get(name);
    if (now === pid && pid !== undefined) return [];
    return [`${name} ${now === undefined ? 'has ended' : `is process ${now}, and was ${String(pid)}`}`];
  });
}

function untouched(kind: RequestKind, answers: readonly Ending[]): string[] {
  const slow = p99(answers);
  return [
    ...answers.filter(isWrong).map((answer) => `it is not needed, and ${sentence(answer)}`),
    ...(slow > OTHERS_P99_MS ? [`it is not needed, and p99 of ${kind} is ${Math.round(slow)} ms`] : []),
  ];
}

/** Failures are allowed to those who need the thing: soon, and in the documented words. */
function failures({ thing, fault }: Phase, answers: readonly Ending[]): string[] {
  const limit = thing.endsWith('-database') && fault !== 'slow' ? FAST_MS : HANG_MS;
  return answers.flatMap((answer) => [
    ...(answer.ms > limit ? [`an answer took ${Math.round(answer.ms)} ms: ${sentence(answer)}`] : []),
    ...(isWrong(answer) && !isDocumented(answer) ? [`not a documented failure: ${sentence(answer)}`] : []),
  ]);
}

/** With a code, a sentence and when to come again; null for what is no such answer. */
function refusalOf({ error }: Ending): { status: number; code: string } | null {
  if (!(error instanceof WrongAnswer)) return null;
  const { status, text, headers } = error.reply;
  const { error: code, message } = bodyOf(text);
  if (typeof code !== 'string' || typeof message !== 'string' || headers['retry-after'] === undefined) return null;
  return { status, code };
}

function isDocumented(answer: Ending): boolean {
  const { kind } = answer;
  const refusal = refusalOf(answer);
  if (refusal === null) return false;
  const { status, code } = refusal;
  if (PAID_KINDS.includes(kind)) return status === 429 || (status === 502 && PAID_ERRORS.includes(code));
  return status === 503 && code === 'service_unavailable';
}

function bodyOf(text: string): { error?: unknown; message?: unknown } {
  try {
    return Object(JSON.parse(text)) as { error?: unknown };
  } catch {
    return {};
  }
}

function isWrong({ error }: Ending): boolean {
  return error !== undefined;
}

function backAfter({ until }: Phase, { at }: Ending): string {
  return `still ${((at - until) / 1_000).toFixed(1)} s after its end`;
}

function sentence({ kind, ms, error }: Ending): string {
  const cause = error?.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${kind}${error ? `: ${error.message}${cause}` : ''}, after ${Math.round(ms)} ms`;
}

function p99(answers: readonly Ending[]): number {
  const sorted = answers.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
}
