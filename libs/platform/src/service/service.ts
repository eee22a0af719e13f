import type { DynamicModule, INestApplicationContext, Provider, Type } from '@nestjs/common';
import type { ClassConstructor } from 'class-transformer';
import type { DataSourceOptions } from 'typeorm';
import type { ServiceConfig } from '../config';
import type { Readiness } from '../resilience/readiness';
import type { Probe } from '../doctor/finding';
import type { HttpConventions } from '../http';
import type { EventTransport } from '../messaging';

/** The part of a service that both halves and every command of its operator have. */
export interface ServiceCore<Config extends ServiceConfig> {
  /** Of the app, as in `APP_NAMES` of the contracts. */
  name: string;
  config: ClassConstructor<Config>;
  database(config: Config): DataSourceOptions;
  /** Providers for every feature beside settings, `Clock`, `AppRegistry`, `DataSource`; modules by their exports. */
  shared?(config: Config): { imports?: (Type | DynamicModule)[]; providers?: Provider[] };
}

/** The description of one service; every service runs the same way. */
export interface Service<Config extends ServiceConfig> extends ServiceCore<Config> {
  /** Conventions that its surfaces share with other services. Default: nothing beyond HTTP itself. */
  http?: HttpConventions & {
    /** Names of headers, in lower case, that no log may show. */
    secretHeaders?: readonly string[];
  };
  /** The features that answer over HTTP. */
  app: Type;
  /** Modules of `app` that are made of the settings, such as rate limits. */
  appModules?(config: Config): DynamicModule[];
  /** The features that work in the background. The transport stays open when the application closes. */
  worker: { forRoot(transport: EventTransport): DynamicModule };
  /** Readiness of what both halves use beside database, brokers and Redis. */
  readiness?(app: INestApplicationContext): Readiness;
  /** Readiness of what the background half needs beside that. */
  workerReadiness?(app: INestApplicationContext): Readiness;
  /** Tried by `main --check`, beside settings, database, brokers and Redis. */
  probes?(config: Config): Probe[];
  /** Its worker only reads events: in a process of its own and without brokers it would wait for ever. */
  workerOnlyReads?: boolean;
}
