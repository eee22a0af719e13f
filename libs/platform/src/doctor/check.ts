import { InvalidConfig, loadConfig, type Environment, type ServiceConfig } from '../config';
import type { Service } from '../service';
import { findingsOf, LIMITS, wrong, type Finding, type Limits } from './finding';
import { databaseProbe } from './probe-database';
import { brokerProbe } from './probe-kafka';
import { redisProbe } from './probe-redis';
import { settingsProbe } from './probe-settings';

const HELP = `Reads the settings of the service, as its programs do, and tries what they lead to. It shows no secret, and changes nothing but
one key in Redis that lasts a millisecond. Each line says ok, off (not configured, and nothing needs it), or wrong, with what to set.

Usage
  node main.js --check
  node main.js --check --one-process   of a service whose events stay within the process, as in npm start

Ends with 0 when nothing is wrong, 1 when something is, 2 when the command could not be understood.
`;

const ONE_PROCESS = '--one-process';

export type Checked<Config extends ServiceConfig> = Pick<
  Service<Config>,
  'name' | 'config' | 'database' | 'workerOnlyReads' | 'probes'
>;

/**
 * Tries what the settings of a service lead to, and says a sentence about each.
 * @param args after the name of the program, with `--check`
 * @returns the exit code: 0 when all is well, 1 when something is wrong, 2 when it was asked wrongly
 */
export async function check<Config extends ServiceConfig>(
  service: Checked<Config>,
  args: readonly string[],
  env: Environment,
  out: (text: string) => void,
  limits = LIMITS,
): Promise<number> {
  const isAlone = !args.includes(ONE_PROCESS);
  const others = args.filter((arg) => arg !== '--check' && arg !== ONE_PROCESS);
  if (others.length > 0) {
    out(HELP);
    return others[0] === '--help' ? 0 : 2;
  }
  let count = 0;
  for await (const findings of examine(isAlone ? service : { ...service, workerOnlyReads: false }, env, limits)) {
    for (const finding of findings) out(lineOf(finding));
    count += findings.filter(({ outcome }) => outcome === 'wrong').length;
  }
  out(count === 0 ? `Nothing is wrong with ${service.name}.\n` : `${count} to correct for ${service.name}.\n`);
  return count === 0 ? 0 : 1;
}

/** All probes at once, their findings in order. */
async function* examine<Config extends ServiceConfig>(
  service: Checked<Config>,
  env: Environment,
  limits: Limits,
): AsyncGenerator<Finding[]> {
  let config: Config;
  try {
    config = loadConfig(service.config, env);
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error;
    yield error.problems.map((problem) => wrong('settings', `${problem}.`));
    return;
  }
  const all = [
    settingsProbe(config),
    databaseProbe(config, service.database(config)),
    brokerProbe(config, { service: service.name, required: service.workerOnlyReads }),
    redisProbe(config),
    ...(service.probes?.(config) ?? []),
  ].map((probe) => findingsOf(probe, limits));
  for (const findings of all) yield await findings;
}

const SUBJECT_WIDTH = 12;

function lineOf({ outcome, subject, says }: Finding): string {
  return `${outcome.padEnd('wrong'.length)}  ${subject.padEnd(SUBJECT_WIDTH)}  ${says}\n`;
}
