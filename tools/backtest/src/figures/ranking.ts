/** Forecasts have four decimals, so there are so many different ones. */
const VALUES = 10_001;

/** How forecasts rank events before the rest, for blocks of forecasts that may count several times or not at all. */
export class Ranking {
  /** Where the entries of a block begin; the last is their number. */
  private readonly starts: Int32Array;
  /** An entry is a value that occurs in a block, with how many events and others have it. */
  private readonly value: Uint16Array;
  private readonly events: Float64Array;
  private readonly others: Float64Array;
  private readonly eventsOf = new Float64Array(VALUES);
  private readonly othersOf = new Float64Array(VALUES);

  /** @param given of each block, 0 to 1; counted to four decimals */
  constructor(given: readonly (readonly number[])[], came: readonly (readonly number[])[]) {
    const count = given.reduce((sum, { length }) => sum + length, 0);
    const [value, events, others] = [new Uint16Array(count), new Float64Array(count), new Float64Array(count)];
    this.starts = new Int32Array(given.length + 1);
    let at = 0;
    given.forEach((block, which) => {
      const keys = Int32Array.from(block, (share, i) => Math.round(share * 1e4) * 2 + came[which]![i]!).sort();
      keys.forEach((key, i) => {
        if (i > 0 && keys[i - 1]! >> 1 !== key >> 1) at++;
        value[at] = key >> 1;
        if (key & 1) events[at]!++;
        else others[at]!++;
      });
      if (keys.length > 0) at++;
      this.starts[which + 1] = at;
    });
    [this.value, this.events, this.others] = [value.slice(0, at), events.slice(0, at), others.slice(0, at)];
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
      const end = starts[block + 1]!;
      for (let i = starts[block]!; i < end; i++) {
        const at = value[i]!;
        eventsOf[at]! += weight * events[i]!;
        othersOf[at]! += weight * others[i]!;
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
