import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import type { Addresses, Between } from '../cluster';
import { freePort } from '@evenkeel/services';
import { Line } from './line';

type Database = `${AppName}-database`;
const DATABASES = APP_NAMES.map((app): Database => `${app}-database`);

/** What may fail below the services. */
export const THINGS = [...DATABASES, 'redis', 'kafka', 'facilitator', 'stripe', 'smtp'] as const;
export type Thing = (typeof THINGS)[number];

/** Lines between the services of a cluster and each thing that they stand on. */
export class Lines implements Between {
  private readonly lines = new Map<Thing, Line>();

  private constructor(readonly kafka: Between['kafka']) {}

  static async open(): Promise<Lines> {
    const port = await freePort();
    const line = await Line.to({ host: '127.0.0.1', port });
    const lines = new Lines({ port, advertisedPort: line.port });
    lines.lines.set('kafka', line);
    return lines;
  }

  async addresses(real: Addresses): Promise<Addresses> {
    const databases = {} as Record<AppName, string>;
    for (const app of APP_NAMES) databases[app] = await this.between(`${app}-database`, real.databases[app]);
    return {
      ...{ ...real, databases, kafka: `127.0.0.1:${this.kafka.advertisedPort}` },
      redis: await this.between('redis', real.redis),
      facilitator: await this.between('facilitator', real.facilitator),
      stripe: await this.between('stripe', real.stripe),
      smtp: await this.between('smtp', real.smtp),
    };
  }

  of(thing: Thing): Line {
    return this.lines.get(thing)!;
  }

  async close(): Promise<void> {
    await Promise.all([...this.lines.values()].map((line) => line.close()));
  }

  /** @returns the address of a server with the line's port in place of its own */
  private async between(thing: Thing, address: string): Promise<string> {
    const url = new URL(address);
    const line = await Line.to({ host: url.hostname, port: Number(url.port) });
    this.lines.set(thing, line);
    return address.replace(`${url.hostname}:${url.port}`, `127.0.0.1:${line.port}`);
  }
}
