import { setTimeout as sleep } from 'node:timers/promises';

export interface Finding {
  /** In a word or two: `database`. */
  subject: string;
  /** It works, it is not configured and not needed, or somebody has to act. */
  outcome: 'ok' | 'off' | 'wrong';
  /** In a sentence; of what is wrong also what to set. No secret is in it. */
  says: string;
}

/** Things that are tried one after the other, because each needs the one before. */
export interface Probe {
  subject: string;
  /** The settings that say where it is. */
  settings: string;
  /** @param stepMs for each wait: a connection, an answer */
  examine(stepMs: number): Promise<Finding[]>;
}

/** For each wait of a probe, and for all that it does: then it is not waited for. */
export const LIMITS = { stepMs: 5_000, probeMs: 15_000 };

export const ok = (subject: string, says: string): Finding => ({ subject, outcome: 'ok', says });
export const off = (subject: string, says: string): Finding => ({ subject, outcome: 'off', says });
export const wrong = (subject: string, says: string): Finding => ({ subject, outcome: 'wrong', says });

/** The findings of a probe, or that it had none in time. Never rejects. */
export async function findingsOf(probe: Probe, { stepMs, probeMs }: typeof LIMITS): Promise<Finding[]> {
  const { subject, settings } = probe;
  const ended = new AbortController();
  const says = `It took more than ${probeMs / 1_000} s: correct ${settings}, or let this process reach it.`;
  const late = sleep(probeMs, [wrong(subject, says)], { signal: ended.signal });
  const failed = (error: unknown): Finding[] => [wrong(subject, failureSentence(error, { name: 'It', settings }))];
  return Promise.race([probe.examine(stepMs).catch(failed), late]).finally(() => ended.abort());
}

/** A server that a process has tried to reach. */
export interface Target {
  /** With its host: `The database at db:5432`. */
  name: string;
  /** The settings that lead there: `DATABASE_URL`. */
  settings: string;
}

/** By code or name of an error. */
const MEANINGS: readonly [codes: RegExp, meaning: string][] = [
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'has a name that is not known here'],
  [/^ECONNREFUSED$/, 'is not there'],
  [/^(ETIMEDOUT|TimeoutError|UND_ERR_\w+_TIMEOUT)$/, 'does not answer in time'],
  [/^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG))$/, 'does not speak TLS'],
];

/** Why something could not be reached, and what to set. Libraries wrap the reason: the innermost known one is used. */
export function failureSentence(error: unknown, { name: target, settings }: Target): string {
  const within = reasons(error);
  for (const { code = '', name } of within.toReversed()) {
    const [, meaning] = MEANINGS.find(([codes]) => codes.test(code) || codes.test(name)) ?? [];
    if (meaning !== undefined) return `${target} ${meaning}: correct ${settings}.`;
  }
  const message = within.at(-1)?.message.trim().replace(/\.$/, '') ?? 'no reason';
  return `${target} cannot be used (${message}): check ${settings}.`;
}

type Reason = Error & { code?: string };

/** An error and those within it, the innermost last. */
export function reasons(error: unknown): Reason[] {
  if (!(error instanceof Error)) return [];
  const { cause, originalError, errors } = error as Error & { originalError?: unknown; errors?: unknown[] };
  return [error, ...reasons(cause ?? originalError ?? errors?.[0])];
}
