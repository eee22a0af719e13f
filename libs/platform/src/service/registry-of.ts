import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppRegistry } from '../observability';
import { exposePools, poolsOf } from '../persistence';

/** The registry of an app, with what every app has. */
export function registryOf(service: string, app: INestApplicationContext): AppRegistry {
  const registry = app.get(AppRegistry);
  registry.setDefaultLabels({ service });
  const dataSource = app.get(DataSource);
  exposePools(registry, () => poolsOf(dataSource));
  return registry;
}
