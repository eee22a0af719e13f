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
  take: (found: unknown) => void;
  /** One at a time: a source that is slow is not asked again meanwhile. */
  running?: Promise<unknown>;
  isMissing: boolean;
}

type MetricsOf<Found> = Partial<Record<MetricName, (found: Found) => Sample[]>>;

/** The metrics of one app on the page of its process: its own counters, and figures that it reads for the page. */
@Injectable()
export class AppRegistry extends Registry {
  private readonly readings: Reading[] = [];

  constructor() {
    super();
    expose(this, 'scrape_missing', () =>
      this.readings.map(({ source, isMissing }) => ({ labels: { source }, value: isMissing ? 1 : 0 })),
    );
  }

  /**
   * Has something read for each page, and for no longer than a page may take.
   * @param take gets what was read, or null when it was not there in time
   */
  read<Found>(source: string, read: () => Promise<Found>, take: (found: Found | null) => void): void {
    this.readings.push({ source, read, take: take as Reading['take'], isMissing: true });
  }

  /** Metrics of one reading: while it is missing they are left out. */
  show<Found>(source: string, read: () => Promise<Found>, metrics: MetricsOf<Found>): void {
    let known: Found | null = null;
    this.read<Found>(source, read, (found) => (known = found));
    for (const [name, samples] of Object.entries(metrics)) {
      expose(this, name as MetricName, () => (known === null ? [] : samples(known)));
    }
  }

  override async metrics(): Promise<string> {
    await Promise.all(this.readings.map((reading) => refresh(reading)));
    return super.metrics();
  }
}

async function refresh(reading: Reading): Promise<void> {
  reading.running ??= reading.read().finally(() => (reading.running = undefined));
  const found = await Promise.race([reading.running, sleep(READ_LIMIT_MS, null, { ref: false })]).catch(() => null);
  reading.isMissing = found === null;
  reading.take(found);
}
