/**
 * Chance that at least one of the next runs fails: the next one at its own risk, the others at the long-run rate.
 * @param failureRisk of the next run, 0 to 1
 * @param successEstimate long-run rate, 0 to 1
 * @param runs looked ahead, 1 or more
 * @returns probability, 0 to 1
 */
export function failureRiskHorizon(failureRisk: number, successEstimate: number, runs: number): number {
  let allSucceed = 1 - failureRisk;
  for (let run = 1; run < runs; run++) allSucceed *= successEstimate;
  return 1 - allSucceed;
}
