import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import type { ClassConstructor } from 'class-transformer';
import type { DataSourceOptions } from 'typeorm';
import type { ServiceConfig } from '../config';
import type { Readiness } from '../http';
import type { EventTransport } from '../messaging';

/** What one service states; all others run the same way. */
export interface Service<Config extends ServiceConfig> {
  name: string;
  config: ClassConstructor<Config>;
  database(config: Config): DataSourceOptions;
  /** What answers over HTTP. */
  app: {
    forRoot(config: Config): DynamicModule;
    /** The background half too, for a process that is all of the service. */
    withWorker(config: Config, transport: EventTransport): DynamicModule;
  };
  /** What works in the background, in a process of its own. */
  worker: { forRoot(config: Config, transport: EventTransport): DynamicModule };
  /** What the background half needs beside the database. */
  workerReadiness?: (app: INestApplicationContext) => Readiness;
  /** Its worker has nothing to do but to read events: alone without brokers it would wait for ever, and say nothing. */
  workerOnlyReads?: boolean;
}
