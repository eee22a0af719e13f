import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { ServiceConfig } from '../config';
import { postgresOptions } from '../persistence';
import { createTestDatabase, DatabaseLine, eventually } from '../testing';
import { coreModule } from './service-modules';

class LateConfig extends ServiceConfig {}

it('starts when its database comes, and says no error of a database that is late', async () => {
  await using database = await createTestDatabase({ name: 'late', entities: [], migrations: [] });
  const line = await DatabaseLine.to(database.url);
  line.cut();
  const service = {
    name: 'late',
    config: LateConfig,
    database: () => postgresOptions({ url: line.url, entities: [], migrations: [] }),
  };
  const said: string[] = [];
  const note = (level: string) => () => void said.push(level);
  const logger = { log: () => undefined, warn: note('warn'), error: note('error') };
  const starting = NestFactory.createApplicationContext(coreModule(service, new LateConfig()), { logger });
  await eventually(() => expect(said).not.toEqual([]));
  await line.mend();
  const app = await starting;
  expect(await app.get(DataSource).query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect(said).not.toContain('error');
  await app.close();
  line.cut();
});
