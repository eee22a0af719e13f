/** Habits or tasks in one request. */
export const MAX_ITEMS = 25;
