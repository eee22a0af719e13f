/** Forecasts are told to four decimals, so there are so many different ones. */
const VALUES = 10_001;

/** How forecasts rank events before the rest, for blocks of forecasts that may count several times or not at all. */
export class Ranking {
  private readonly starts: number[] = [0];
  private readonly value: number[] = [];
  private readonly events: number[] = [];
  private readonly others: number[] = [];
  private readonly eventsOf = new Float64Array(VALUES);
  private readonly othersOf = new Float64Array(VALUES);

  /** @param given 0 to 1; counted to four decimals */
  addBlock(given: readonly number[], came: readonly number[]): void {
    const order = given.map((share, i) => Math.round(share * 1e4) * 2 + came[i]!).sort((a, b) => a - b);
    for (let i = 0; i < order.length;) {
      const value = order[i]! >> 1;
      const from = i;
      while (i < order.length && order[i]! === value * 2) i++;
      const others = i - from;
      while (i < order.length && order[i]! === value * 2 + 1) i++;
      this.value.push(value);
      this.others.push(others);
      this.events.push(i - from - others);
    }
    this.starts.push(this.value.length);
  }

  /**
   * Share of pairs of an event and another in which the event had the higher forecast, ties half.
   * @param weights how often each block counts
   * @returns 0.5 for forecasts that know nothing; NaN without both kinds
   * @see Hanley and McNeil (1982), Radiology 143(1), 29-36: the area under the ROC curve as a rank statistic
   */
  auc(weights: Float64Array): number {
    const { starts, value, events, others, eventsOf, othersOf } = this;
    eventsOf.fill(0);
    othersOf.fill(0);
    for (let block = 0; block < weights.length; block++) {
      const weight = weights[block]!;
      if (weight === 0) continue;
      for (let i = starts[block]!; i < starts[block + 1]!; i++) {
        eventsOf[value[i]!]! += weight * events[i]!;
        othersOf[value[i]!]! += weight * others[i]!;
      }
    }
    let below = 0;
    let allEvents = 0;
    let won = 0;
    for (let at = 0; at < VALUES; at++) {
      won += eventsOf[at]! * (below + othersOf[at]! / 2);
      below += othersOf[at]!;
      allEvents += eventsOf[at]!;
    }
    return won / (allEvents * below);
  }
}
