import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { expose } from './figures';

const READ_LIMIT_MS = 400;

interface Reading {
  source: string;
  read: () => Promise<unknown>;
  take: (found: unknown) => void;
  /** One at a time: a source that is slow is not asked again meanwhile. */
  running?: Promise<unknown>;
  isMissing: boolean;
}

/** What one app shows on the page of its process: what it counts itself, and what it looks up for the page. */
@Injectable()
export class AppRegistry extends Registry {
  private readonly readings: Reading[] = [];

  constructor() {
    super();
    expose(this, {
      name: 'evenkeel_scrape_missing',
      help: `1 when the figures of this source are not on this page, because they could not be read in ${READ_LIMIT_MS} ms.`,
      type: 'gauge',
      samples: () => this.readings.map(({ source, isMissing }) => ({ labels: { source }, value: isMissing ? 1 : 0 })),
    });
  }

  /**
   * Has something read for each page, and for no longer than a page may take.
   * @param take gets what was read, or null when it was not there in time
   */
  read<Found>(source: string, read: () => Promise<Found>, take: (found: Found | null) => void): void {
    this.readings.push({ source, read, take: take as Reading['take'], isMissing: true });
  }

  override async metrics(): Promise<string> {
    await Promise.all(this.readings.map((reading) => refresh(reading)));
    return super.metrics();
  }
}

async function refresh(reading: Reading): Promise<void> {
  reading.running ??= reading.read().finally(() => (reading.running = undefined));
  const found = await Promise.race([reading.running, tooLate()]).catch(() => null);
  reading.isMissing = found === null;
  reading.take(found);
}

function tooLate(): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), READ_LIMIT_MS).unref());
}
