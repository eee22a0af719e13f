import { backoffMs } from './backoff';

it.each([
  [1, undefined, 2_000],
  [2, undefined, 4_000],
  [5, undefined, 32_000],
  [6, undefined, 60_000],
  [500, undefined, 60_000],
  [1, 20, 20_000],
  [1, 90, 90_000],
  [4, 1, 16_000],
])('after %i failures, asked to wait %p s: %i ms', (failures, retryAfter, ms) =>
  expect(backoffMs(failures, retryAfter)).toBe(ms),
);
