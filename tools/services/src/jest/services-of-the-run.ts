import type { RunningService, ServiceName } from '../backing-services';

/** Jest loads sequencer, set-up and teardown apart from each other: they meet in the process, not in a module. */
export const servicesOfTheRun = process as typeof process & {
  /** Beside PostgreSQL. */
  evenkeelNeededServices?: ServiceName[];
  /** A suite of this run starts programs. */
  evenkeelStartsPrograms?: boolean;
  evenkeelServices?: RunningService[];
};
