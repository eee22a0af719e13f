import { METRIC_PREFIX, METRICS, type MetricDescription, type MetricName } from '@evenkeel/contracts';
import { Histogram, Registry, type Metric } from 'prom-client';

export interface Sample {
  labels?: Readonly<Record<string, string | number>>;
  value: number;
}

/** Made when a page is asked for: until then the counting code has plain numbers. None at all means that nothing is known. */
type Samples = () => Sample[];

/** A metric as a registry reads it, which asks no more of it than this. */
interface ExposedFigures {
  name: string;
  sources: Samples[];
  get(): Promise<object>;
}

/**
 * Puts a metric of the catalogue onto the page of a registry. Samples of several sources may have one name: their labels
 * keep them apart.
 */
export function expose(registry: Registry, metricName: MetricName, samples: Samples): void {
  const name = METRIC_PREFIX + metricName;
  const known = registry.getSingleMetric(name) as Partial<ExposedFigures> | undefined;
  if (known?.sources) {
    known.sources.push(samples);
    return;
  }
  const { help, type }: MetricDescription = METRICS[metricName];
  const sources = [samples];
  const get = async () => ({ name, help, type, values: sources.flatMap((source) => source()) });
  const metric: ExposedFigures = { name, sources, get };
  registry.registerMetric(metric as unknown as Metric);
}

/** Upper ends in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** How prom-client takes a metric of the catalogue, on no page yet. */
export function catalogued(metricName: MetricName) {
  const { help, labels }: MetricDescription = METRICS[metricName];
  return { name: METRIC_PREFIX + metricName, help, labelNames: labels, registers: [] };
}

/** How long something took: a histogram of the catalogue. A registry has one of a name, which all who ask for it share. */
export function timings(metricName: MetricName, registry = new Registry()): Histogram {
  const known: unknown = registry.getSingleMetric(METRIC_PREFIX + metricName);
  if (known instanceof Histogram) return known as Histogram;
  return new Histogram({ ...catalogued(metricName), buckets: BOUNDS, registers: [registry] });
}
