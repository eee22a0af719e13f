import { loadConfig, type Environment, type ServiceConfig } from '../config';
import { migrate } from '../persistence';
import { runProgram } from './run-program';
import type { Service } from './service';

/** The program `migrate` of a service: brings its schema up, and ends. */
export function runMigrate<Config extends ServiceConfig>(service: Service<Config>, env: Environment): void {
  runProgram(async () => {
    const done = await migrate(service.database(loadConfig(service.config, env)));
    console.log(done.length > 0 ? `migrated: ${done.join(', ')}` : 'nothing to migrate');
  });
}
