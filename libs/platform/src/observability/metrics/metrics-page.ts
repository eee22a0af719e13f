import { collectDefaultMetrics, Registry } from 'prom-client';

/** The text that Prometheus reads. */
export type MetricsPage = () => Promise<string>;

/** What Node tells of this process: processor, memory, event loop, garbage collection. Once for a process. */
export function processRegistry(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return registry;
}

/**
 * Several registries as one page. Metrics of the same name stand together, as the format wants it; the label `service`
 * keeps their samples apart. A registry that fails is left out.
 */
export function metricsPage(registries: readonly Registry[]): MetricsPage {
  return async () => {
    const texts = await Promise.allSettled(registries.map((registry) => registry.metrics()));
    const byName = new Map<string, string[]>();
    for (const text of texts) if (text.status === 'fulfilled') addMetrics(byName, text.value);
    return `${[...byName.values()].flat().join('\n')}\n`;
  };
}

/** A metric is a line of help, a line with its type, and its samples; an empty line is between two. */
function addMetrics(byName: Map<string, string[]>, text: string): void {
  for (const metric of text.trimEnd().split('\n\n')) {
    const [help = '', type = '', ...samples] = metric.split('\n');
    const name = help.split(' ')[2]!;
    const known = byName.get(name);
    if (known) known.push(...samples);
    else byName.set(name, [help, type, ...samples]);
  }
}
