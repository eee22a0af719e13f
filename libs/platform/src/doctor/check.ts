import { InvalidConfig, loadConfig, type Environment, type ServiceConfig } from '../config';
import type { Service } from '../service';
import { findingsOf, LIMITS, ok, wrong, type Finding } from './finding';
import { brokerProbe, databaseProbe, redisProbe } from './store-probes';

const HELP = `Reads the settings of the service, as its programs do, and tries what they lead to. It shows no secret, and changes nothing but
one key in Redis that lasts a millisecond. Each line says ok, off (not configured, and nothing needs it), or wrong, with what to set.

Usage
  node main.js --check
  node main.js --check --one-process   of a service whose events stay within the process, as in npm start

Ends with 0 when nothing is wrong, 1 when something is, 2 when the command could not be understood.
`;

const ONE_PROCESS = '--one-process';
const SUBJECT_WIDTH = 12;

export type Checked<Config extends ServiceConfig> = Pick<
  Service<Config>,
  'name' | 'config' | 'database' | 'workerOnlyReads' | 'probes'
>;

/**
 * Tries what the settings of a service lead to, all at once, and says a sentence about each.
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
  const others = args.filter((arg) => arg !== '--check' && arg !== ONE_PROCESS);
  if (others.length > 0) {
    out(HELP);
    return others[0] === '--help' ? 0 : 2;
  }
  const required = service.workerOnlyReads && !args.includes(ONE_PROCESS);
  const findings = await examine(service, env, { limits, required });
  for (const { outcome, subject, says } of findings) {
    out(`${outcome.padEnd('wrong'.length)}  ${subject.padEnd(SUBJECT_WIDTH)}  ${says}\n`);
  }
  const count = findings.filter(({ outcome }) => outcome === 'wrong').length;
  out(count === 0 ? `Nothing is wrong with ${service.name}.\n` : `${count} to correct for ${service.name}.\n`);
  return count === 0 ? 0 : 1;
}

async function examine<Config extends ServiceConfig>(
  service: Checked<Config>,
  env: Environment,
  { limits, required }: { limits: typeof LIMITS; required?: boolean },
): Promise<Finding[]> {
  let config: Config;
  try {
    config = loadConfig(service.config, env);
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error;
    return error.problems.map((problem) => wrong('settings', `${problem}.`));
  }
  const probes = [
    databaseProbe(config, service.database(config)),
    brokerProbe(config, { service: service.name, required }),
    redisProbe(config),
    ...(service.probes?.(config) ?? []),
  ];
  const found = await Promise.all(probes.map((probe) => findingsOf(probe, limits)));
  return [...settingsFindings(config), ...found.flat()];
}

/** Settings that are valid, and wrong in production all the same. */
function settingsFindings({ NODE_ENV, PUBLIC_BASE_URL, RATE_LIMIT_SCALE }: ServiceConfig): Finding[] {
  if (NODE_ENV !== 'production') return [ok('settings', 'All are valid, outside production.')];
  const problems: string[] = [];
  if (!PUBLIC_BASE_URL?.startsWith('https://')) {
    const effect = 'answers would point to where nobody can reach them';
    problems.push(`PUBLIC_BASE_URL is no https address: ${effect}. Set it to the address of the edge.`);
  }
  if (RATE_LIMIT_SCALE !== 1) problems.push('RATE_LIMIT_SCALE is not 1, which is for load and test runs: remove it.');
  if (problems.length === 0) return [ok('settings', 'All are valid, for production.')];
  return problems.map((problem) => wrong('settings', problem));
}
