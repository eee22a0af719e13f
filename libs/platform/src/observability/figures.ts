import type { Metric, Registry } from 'prom-client';

export interface Sample {
  labels?: Readonly<Record<string, string | number>>;
  value: number;
  /** Where it is not that of the metric: parts of a histogram. */
  metricName?: string;
}

/** A metric whose samples are made when a page is asked for: until then the counting code has plain numbers. */
export interface Figures {
  /** With the prefix `evenkeel_`. */
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  /** No labels, no sample: a metric without any means that nothing is known. No label holds an id. */
  samples: () => Sample[];
}

/** A metric as a registry reads it, which asks no more of it than this. */
class ExposedFigures {
  private readonly sources: Figures['samples'][] = [];

  constructor(
    readonly name: string,
    private readonly description: Pick<Figures, 'name' | 'help' | 'type'>,
  ) {}

  add(samples: Figures['samples']): void {
    this.sources.push(samples);
  }

  async get(): Promise<object> {
    return { ...this.description, values: this.sources.flatMap((samples) => samples()) };
  }
}

/** Puts it onto the page of a registry. Samples of several sources may have one name: their labels keep them apart. */
export function expose(registry: Registry, { name, help, type, samples }: Figures): void {
  const known: unknown = registry.getSingleMetric(name);
  const metric = known instanceof ExposedFigures ? known : new ExposedFigures(name, { name, help, type });
  metric.add(samples);
  if (metric !== known) registry.registerMetric(metric as unknown as Metric);
}

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
