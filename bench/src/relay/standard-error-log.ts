import type { MessagingLog } from '@evenkeel/platform/messaging';

/** Shown when the run fails. */
export const toStandardError: MessagingLog = { warn: console.error, error: console.error };
