import { redacted } from '@evenkeel/platform/config';

const CODE_SHAPED = /^[a-z0-9_]{1,80}$/;
const MAX_LOGGED_CHARACTERS = 300;

/** A facilitator's reason, if it may be shown to buyers and put into events; anything else may be a trace of internals. */
export function codeShaped(reason: unknown): string | null {
  return typeof reason === 'string' && CODE_SHAPED.test(reason) ? reason : null;
}

/** What is no code is for the log alone, without our secrets and cut, in this order: some engines hand through what their node said, in many lines. */
export function reasonForLog(body: unknown): string | null {
  const { invalidReason, errorReason } = Object(body) as { invalidReason?: unknown; errorReason?: unknown };
  const reason = invalidReason ?? errorReason;
  return typeof reason === 'string' && codeShaped(reason) === null
    ? redacted(reason).slice(0, MAX_LOGGED_CHARACTERS)
    : null;
}

/** Engines spell reasons differently and agree on the end, so the end is matched. The first match wins. */
const ENDINGS: readonly [ending: string, code: string][] = [
  ['insufficient_funds', 'insufficient_funds'],
  ['insufficient_balance', 'insufficient_funds'],
  ['valid_after', 'authorization_not_yet_valid'],
  ['valid_before', 'authorization_expired'],
  ['nonce_already_used', 'authorization_used'],
  ['signature', 'invalid_signature'],
];

/** Our own word for a well-known reason (D-27), for `details.code`. */
export function knownCode(reason: string | null): string | undefined {
  return reason === null ? undefined : ENDINGS.find(([ending]) => reason.endsWith(ending))?.[1];
}
