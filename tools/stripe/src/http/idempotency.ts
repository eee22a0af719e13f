import { createHash } from 'node:crypto';
import { Refusal } from './refusal';

/** An answer as it was sent. */
export interface Answer {
  status: number;
  body: object;
}

interface Kept extends Answer {
  fingerprint: string;
  at: number;
}

const KEPT_SECONDS = 86_400;

/** Answers by idempotency key, for a day. */
export class IdempotentAnswers {
  private readonly answers = new Map<string, Kept>();

  /** The first answer to this key. @throws Refusal when the key came with another request */
  find(key: string, request: string, now: number): Answer | undefined {
    const kept = this.answers.get(key);
    if (!kept || kept.at + KEPT_SECONDS < now) return undefined;
    if (kept.fingerprint === fingerprintOf(request)) return kept;
    const message =
      'Keys for idempotent requests can only be used with the same parameters they were first used with. ' +
      `Try using a key other than '${key}' if you meant to execute a different request.`;
    throw new Refusal(400, { type: 'idempotency_error', message });
  }

  /** Requests that were refused before anything was done may be sent again with their key. */
  keep(key: string, request: string, now: number, answer: Answer): void {
    if (answer.status >= 300 && answer.status !== 402) return;
    this.answers.set(key, { ...answer, fingerprint: fingerprintOf(request), at: now });
  }
}

function fingerprintOf(request: string): string {
  return createHash('sha256').update(request).digest('base64');
}
