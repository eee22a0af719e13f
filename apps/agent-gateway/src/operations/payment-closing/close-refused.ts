/** A payment is not closed; the message says why, and what to do instead. */
export class CloseRefused extends Error {}
