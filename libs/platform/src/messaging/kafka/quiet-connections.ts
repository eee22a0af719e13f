/** Requests that wait in a connection of kafkajs to be sent. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests: (this: RequestQueue) => void;
}

// eslint-disable-next-line @typescript-eslint/no-require-imports -- kafkajs has no types for its inside
const { prototype } = require('kafkajs/src/network/requestQueue') as { prototype: RequestQueue };
const { scheduleCheckPendingRequests } = prototype;

/**
 * kafkajs 2.2.4 looks a thousand times a second, in each connection, whether a request may be sent now, also where none
 * waits, and goes on after a connection was closed: 1 % of a processor for each, and a process that does not end.
 */
function whereOneWaits(this: RequestQueue): void {
  if (this.pending.length > 0) scheduleCheckPendingRequests.call(this);
}

if (scheduleCheckPendingRequests.name !== whereOneWaits.name) prototype.scheduleCheckPendingRequests = whereOneWaits;
