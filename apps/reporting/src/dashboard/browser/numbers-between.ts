/**
 * In place of `d3-interpolate`, which the scales of the chart import: between numbers it is this, and its colours would be
 * an eighth of the page.
 */
export function interpolateNumber(from: number, to: number): (share: number) => number {
  return (share) => from * (1 - share) + to * share;
}

export function interpolateRound(from: number, to: number): (share: number) => number {
  return (share) => Math.round(from * (1 - share) + to * share);
}

/** `piecewise` is imported by scales that the page does not have. */
export { interpolateNumber as interpolate, interpolateNumber as piecewise };
