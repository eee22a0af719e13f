import { stopServices, VARIABLES } from '../backing-services';
import { servicesOfTheRun } from './of-the-run';

/** Also runs when suites have failed. Watching, the next run starts its own. */
export default async function globalTeardown(): Promise<void> {
  const services = servicesOfTheRun.evenkeelServices ?? [];
  for (const { name } of services) delete process.env[`TEST_${VARIABLES[name]}`];
  await stopServices(services);
}
