/** A control command that cannot be followed; the message says what would do. */
export class BadCommand extends Error {}
