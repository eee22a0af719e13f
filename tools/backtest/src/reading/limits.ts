import { READ_LIMITS, type ReadLimits } from '@evenkeel/habit-files';

/** A person waits for one file of their own: more is read than a service would. */
export const LIMITS: ReadLimits = { ...READ_LIMITS, fileBytes: 64 * 1024 * 1024, logs: 1_000_000 };

/** Days or runs to walk over, of all habits or tasks together. */
export const MOST_STEPS = 2_000_000;
