/** The command line cannot be understood; the message says which part. */
export class BadUsage extends Error {}
