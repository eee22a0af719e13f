/** What a mode can be aimed at. */
export const TARGETS = ['supported', 'verify', 'settle', 'rpc'] as const;
export type Target = (typeof TARGETS)[number];
