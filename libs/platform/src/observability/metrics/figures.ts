import type { Metric, Registry } from 'prom-client';

export interface Sample {
  labels?: Readonly<Record<string, string | number>>;
  value: number;
  /** Where it is not that of the metric: parts of a histogram. */
  metricName?: string;
}

/** A metric whose samples are put together when somebody asks: until then whoever counts keeps plain numbers. */
export interface Figures {
  /** With the prefix `evenkeel_`. */
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  /** No labels, no sample: a metric without any says that nothing is known. No label holds an id. */
  samples: () => Sample[];
}

/** Puts it onto the page of a registry, which asks no more of a metric than this. */
export function expose(registry: Registry, { name, help, type, samples }: Figures): void {
  const get = async () => ({ name, help, type, values: samples() });
  registry.registerMetric({ name, get } as unknown as Metric);
}
