/** The steps of messaging between which a process may die; tests make it die there. */
export const RELAY_CRASH_POINTS = ['relay_sent', 'relay_marked'] as const;
export const CONSUMER_CRASH_POINTS = ['inbox_inserted', 'applied', 'offset'] as const;

export type RelayCrashPoint = (typeof RELAY_CRASH_POINTS)[number];
export type ConsumerCrashPoint = (typeof CONSUMER_CRASH_POINTS)[number];
