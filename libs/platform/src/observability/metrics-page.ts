import { setTimeout as sleep } from 'node:timers/promises';
import type { MetricName } from '@evenkeel/contracts';
import { Injectable } from '@nestjs/common';
import { Registry, collectDefaultMetrics } from 'prom-client';
import { expose, type Sample } from './figures';

/** The text that Prometheus reads. */
export type MetricsPage = () => Promise<string>;

/** The metrics of Node for this process: processor, memory, event loop, garbage collection. Once for a process. */
export function processRegistry(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return registry;
}

/**
 * Several registries as one page. Metrics of the same name follow each other, as the format requires; the label `service`
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

const READ_LIMIT_MS = 400;

interface Reading {
  source: string;
  read: () => Promise<unknown>;
  /** Null while it is missing. */
  found: unknown;
  /** One at a time: a source that is slow is not asked again meanwhile. */
  running?: Promise<unknown>;
}

type MetricsOf<Found> = Partial<Record<MetricName, (found: NonNullable<Found>) => Sample[]>>;

/** The metrics of one app on the page of its process: its own counters, and figures that it reads for the page. */
@Injectable()
export class AppRegistry extends Registry {
  private readonly readings: Reading[] = [];

  constructor() {
    super();
    expose(this, 'scrape_missing', () =>
      this.readings.map(({ source, found }) => ({ labels: { source }, value: found === null ? 1 : 0 })),
    );
  }

  /** Metrics of what is read for each page, for no longer than a page may take: while it is missing they are left out. */
  show<Found>(source: string, read: () => Promise<Found>, metrics: MetricsOf<Found>): void {
    const reading: Reading = { source, read, found: null };
    this.readings.push(reading);
    for (const [name, samples] of Object.entries(metrics)) {
      expose(this, name as MetricName, () =>
        reading.found === null ? [] : samples(reading.found as NonNullable<Found>),
      );
    }
  }

  override async metrics(): Promise<string> {
    await Promise.all(this.readings.map((reading) => refresh(reading)));
    return super.metrics();
  }
}

async function refresh(reading: Reading): Promise<void> {
  reading.running ??= reading.read().finally(() => (reading.running = undefined));
  const late = sleep(READ_LIMIT_MS, null, { ref: false });
  reading.found = await Promise.race([reading.running, late]).catch(() => null);
}
