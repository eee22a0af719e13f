import type { Sample } from './figures';

/** Upper ends in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** How long something took, for one set of labels: adding to it costs some nanoseconds. */
export class Timings {
  private readonly counts = new Array<number>(BOUNDS.length + 1).fill(0);
  private total = 0;
  private sumSeconds = 0;

  add(seconds: number): void {
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket++;
    this.counts[bucket]!++;
    this.total++;
    this.sumSeconds += seconds;
  }

  get count(): number {
    return this.total;
  }

  /** As a histogram of this name has them. */
  samples(name: string, labels: NonNullable<Sample['labels']>): Sample[] {
    let below = 0;
    const buckets = this.counts.map((count, index) => {
      const le = BOUNDS[index] ?? '+Inf';
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: (below += count) };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.sumSeconds },
      { metricName: `${name}_count`, labels, value: this.total },
    ];
  }
}
