import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppRegistry } from '../observability';
import { exposePools, poolOf } from '../persistence';

/** The registry of an app, with what every app has. */
export function registryOf(service: string, app: INestApplicationContext): AppRegistry {
  const registry = app.get(AppRegistry);
  registry.setDefaultLabels({ service });
  exposePools(registry, [poolOf(app.get(DataSource))]);
  return registry;
}
