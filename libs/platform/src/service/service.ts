import type { DynamicModule, INestApplicationContext, Provider, Type } from '@nestjs/common';
import type { ClassConstructor } from 'class-transformer';
import type { DataSourceOptions } from 'typeorm';
import type { ServiceConfig } from '../config';
import type { Readiness } from '../resilience/readiness';
import type { HttpConventions } from '../http';
import type { EventTransport } from '../messaging';

/** What every half of a service has, and every command of its operator. */
export interface ServiceCore<Config extends ServiceConfig> {
  /** Of the app, as in `APP_NAMES` of the contracts. */
  name: string;
  config: ClassConstructor<Config>;
  database(config: Config): DataSourceOptions;
  /** What every feature of the service may inject beside settings, `Clock`, `AppRegistry` and `DataSource`; modules by their exports. */
  shared?(config: Config): { imports?: (Type | DynamicModule)[]; providers?: Provider[] };
}

/** What one service states; every service runs the same way. */
export interface Service<Config extends ServiceConfig> extends ServiceCore<Config> {
  /** What its surfaces have in common with those of other services. Default: nothing beyond HTTP itself. */
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
  /** What both halves use beside database, brokers and Redis. */
  readiness?(app: INestApplicationContext): Readiness;
  /** What the background half needs beside that. */
  workerReadiness?(app: INestApplicationContext): Readiness;
  /** Its worker only reads events: in a process of its own and without brokers it would wait for ever. */
  workerOnlyReads?: boolean;
}
