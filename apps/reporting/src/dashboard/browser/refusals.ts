/** Why there are no new numbers. */
export type Refusal =
  | { kind: 'wrong_token' }
  | { kind: 'not_configured' }
  | { kind: 'limited'; retryAfterSeconds: number }
  | { kind: 'unavailable'; status: number; retryAfterSeconds: number }
  | { kind: 'unreachable' }
  | { kind: 'malformed' };

export class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.kind);
  }
}

/** Whatever went wrong: nothing stops for an answer that could not be used. */
export function refusalFrom(error: unknown): Refusal {
  return error instanceof Refused ? error.refusal : { kind: 'malformed' };
}

export function refusalOf({ status, headers }: Pick<Response, 'status' | 'headers'>): Refusal {
  const retryAfterSeconds = Number(headers.get('retry-after')) || 0;
  if (status === 401) return { kind: 'wrong_token' };
  if (status === 501) return { kind: 'not_configured' };
  if (status === 429) return { kind: 'limited', retryAfterSeconds };
  return { kind: 'unavailable', status, retryAfterSeconds };
}

const TEXTS: Record<Refusal['kind'], string> = {
  limited: 'too many requests from this address',
  unavailable: 'the service answered',
  wrong_token: 'the token is not accepted',
  not_configured: 'no operator token is configured',
  malformed: 'the answer is not one of this service',
  unreachable: 'the network does not answer',
};

/** The reason as the end of a sentence. */
export function refusalText(refusal: Refusal): string {
  return refusal.kind === 'unavailable' ? `${TEXTS.unavailable} ${refusal.status}` : TEXTS[refusal.kind];
}
