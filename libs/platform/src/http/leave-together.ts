import type { ServerResponse } from 'node:http';

let ready: ServerResponse[] = [];

/**
 * Ends an answer when all requests of this turn of the event loop have been read. A write to a reader that sleeps must
 * wake it, which costs a fifth of a challenge; a reader that has been woken once hears of the others while it is up.
 * @see Redis, `handleClientsWithPendingWrites`
 */
export function leaveTogether(response: ServerResponse): void {
  if (ready.push(response) === 1) setImmediate(leave);
}

function leave(): void {
  const leaving = ready;
  ready = [];
  for (const response of leaving) response.end();
}
