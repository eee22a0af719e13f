/** What floating point may lose on the way to a limit or a tie: 0.7 + 0.2 + 0.1 is 0.9999999999999999 there. */
export const ROUNDING_ERROR = 1e-9;
