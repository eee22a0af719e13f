import { METRIC_PREFIX, METRICS, type MetricDescription, type MetricName } from '@evenkeel/contracts';
import type { Metric, Registry } from 'prom-client';

export interface Sample {
  labels?: Readonly<Record<string, string | number>>;
  value: number;
  /** Where it is not that of the metric: parts of a histogram. */
  metricName?: string;
}

/** Made when a page is asked for: until then the counting code has plain numbers. None at all means that nothing is known. */
export type Samples = () => Sample[];

/** A metric as a registry reads it, which asks no more of it than this. */
class ExposedFigures {
  private readonly sources: Samples[] = [];

  constructor(
    readonly name: string,
    private readonly description: MetricDescription,
  ) {}

  add(samples: Samples): void {
    this.sources.push(samples);
  }

  async get(): Promise<object> {
    const { name, description, sources } = this;
    const { help, type } = description;
    return { name, help, type, values: sources.flatMap((samples) => samples()) };
  }
}

/**
 * Puts a metric of the catalogue onto the page of a registry. Samples of several sources may have one name: their labels
 * keep them apart.
 */
export function expose(registry: Registry, metricName: MetricName, samples: Samples): void {
  const name = METRIC_PREFIX + metricName;
  const known: unknown = registry.getSingleMetric(name);
  const metric = known instanceof ExposedFigures ? known : new ExposedFigures(name, METRICS[metricName]);
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
  samples(metricName: MetricName, labels: NonNullable<Sample['labels']>): Sample[] {
    const name = METRIC_PREFIX + metricName;
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
