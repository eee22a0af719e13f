import { atShare, sentenceOf } from '../rehearsal';
import { WrongAnswer } from '../traffic/caller';
import { KINDS, kindOf, type Ending, type RequestKind, type Thing } from '../traffic/traffic';
import type { Fault } from './lines';

/** A thing that fails for a time, or a process that is killed and started again. */
export type Trouble = { thing: Thing; fault: Fault } | { kill: string };

/** A trouble that is over, with its beginning and end as `performance.now()` has them. */
export type PastTrouble = Trouble & { from: number; until: number };

export const BACK_WITHIN_MS = 5_000;
const OTHERS_P99_MS = 1_000;
/** No answer may take longer, whatever fails. */
const HANG_MS = 5_000;
/** Where a database does not answer. */
const FAST_MS = 3_000;
/** The edge says 502 of a request whose process was killed. */
const REFUSALS = [429, 502, 503];
/** Paths of buyers: what is 503 elsewhere is 502 there, with more to say. */
const PAID_KINDS: readonly RequestKind[] = ['paid', 'repeat', 'credit'];
const PAID_ERRORS = ['payment_verification_unavailable', 'settlement_unknown'];

export function nameOf(trouble: Trouble): string {
  return 'kill' in trouble ? `${trouble.kill} is killed` : `${trouble.thing} is ${trouble.fault}`;
}

/** The wrong answers of a time with troubles, a sentence each. */
export function wrongAnswers(endings: readonly Ending[], troubles: readonly PastTrouble[]): string[] {
  const judged = endings.map((ending) => {
    const { kind, at, ms } = ending;
    // What was under way when it began is part of it.
    const around = troubles.filter(({ from, until }) => from <= at + ms && at < until + BACK_WITHIN_MS);
    const isExcused = around.some(
      (one) => around.length > 1 || 'kill' in one || kindOf(kind).needs.includes(one.thing),
    );
    return { ending, around, isExcused };
  });
  const wrong = judged.flatMap(({ ending, around, isExcused }) => {
    const name = around.map(nameOf).join(', ') || 'without a fault';
    const saying = (what: string): string => `${name}: ${what}${sentenceOf(ending)}`;
    return [
      ...(ending.ms > (isExcused ? limitOf(around) : HANG_MS) ? [saying('P9: an answer took too long: ')] : []),
      ...(ending.error && !isExcused ? [saying('')] : []),
      ...(ending.error && isExcused && !isDocumented(ending, around) ? [saying('P9: not a documented failure: ')] : []),
    ];
  });
  const slow = troubles.flatMap((trouble) =>
    KINDS.flatMap((kind) => {
      const own = judged.filter((one) => one.ending.kind === kind && !one.isExcused && one.around[0] === trouble);
      const p99 = atShare(
        own.map(({ ending }) => ending.ms),
        0.99,
      );
      return p99 > OTHERS_P99_MS ? [`${nameOf(trouble)}: it is not needed, and p99 of ${kind} is ${p99} ms`] : [];
    }),
  );
  return [...wrong, ...slow];
}

function limitOf([first, ...more]: readonly PastTrouble[]): number {
  const isDatabaseAway = first && 'thing' in first && first.thing.endsWith('-database') && first.fault !== 'slow';
  return isDatabaseAway && more.length === 0 ? FAST_MS : HANG_MS;
}

/** Whether a refusal has a code, a sentence and when to come again; for the failure of one thing, the code that is documented for it. */
function isDocumented({ kind, error }: Ending, around: readonly PastTrouble[]): boolean {
  if (!(error instanceof WrongAnswer)) return false;
  const { status, text, headers } = error.reply;
  const [, code = ''] = /"error":"(\w+)"/.exec(text) ?? [];
  if (code === '' || !text.includes('"message":"') || headers['retry-after'] === undefined) return false;
  if (around.length > 1 || around.some((one) => 'kill' in one)) return REFUSALS.includes(status);
  if (!PAID_KINDS.includes(kind)) return status === 503 && code === 'service_unavailable';
  return status === 429 || (status === 502 && PAID_ERRORS.includes(code));
}
