/**
 * Median of the slopes between all pairs of points: a few odd days do not bend it.
 * @param days in time order, without repetition; at least two
 * @param values one per day
 * @returns value per day
 * @see Sen 1968
 */
export function senSlope(days: readonly number[], values: readonly number[]): number {
  const slopes: number[] = [];
  for (let i = 0; i < days.length; i++) {
    for (let j = i + 1; j < days.length; j++) slopes.push((values[j]! - values[i]!) / (days[j]! - days[i]!));
  }
  slopes.sort((a, b) => a - b);
  const middle = Math.floor(slopes.length / 2);
  return slopes.length % 2 === 1 ? slopes[middle]! : (slopes[middle - 1]! + slopes[middle]!) / 2;
}
