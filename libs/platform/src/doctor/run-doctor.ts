import { CommandLine, runCommand, startCommand, type Streams } from '../command-line';
import { InvalidConfig, loadConfig, type Environment, type ServiceConfig } from '../config';
import type { Service } from '../service';
import { findingsOf, LIMITS, wrong, type Finding, type Limits, type Probe } from './finding';
import { databaseProbe } from './probe-database';
import { brokerProbe } from './probe-kafka';
import { redisProbe } from './probe-redis';
import { settingsProbe } from './probe-settings';

/** A service, and what it uses beside what every service uses. */
export interface Patient<Config extends ServiceConfig> {
  service: Pick<Service<Config>, 'name' | 'config' | 'database' | 'workerOnlyReads'>;
  probes?: (config: Config) => Probe[];
  limits?: Limits;
}

/** The program `doctor` of a service: reads its settings, tries what they lead to, and ends. */
export function startDoctor<Config extends ServiceConfig>(patient: Patient<Config>, env: Environment): void {
  startCommand(env, async (args, settings, streams) => {
    const code = await runDoctor(patient, args, settings, streams);
    // What hangs would keep the process alive.
    process.exit(code);
  });
}

/** @returns the exit code: 0 when all is well, 1 when something is wrong, 2 when it was asked wrongly */
export function runDoctor<Config extends ServiceConfig>(
  patient: Patient<Config>,
  args: readonly string[],
  env: Environment,
  streams: Streams,
): Promise<number> {
  const { name } = patient.service;
  const command = new CommandLine({
    call: `npm run doctor -- ${name}`,
    about: `Reads the settings of ${name}, as its programs do, and tries what they lead to. It shows no secret, and changes nothing but one
key in Redis that lasts a millisecond.
Each line says ok, off (not configured, and nothing needs it), or wrong, with what to set.`,
    usage: [`npm run doctor -- ${name}`, 'node dist/doctor.js   (built, or in an image)'],
    options: {},
    ends: 'Ends with 0 when nothing is wrong, 1 when something is, 2 when the command could not be understood.',
    read: () => ({}),
  });
  return runCommand(command, args, streams, async (_, { out }) => {
    const found: Finding[] = [];
    for await (const findings of examine(patient, env)) {
      found.push(...findings);
      for (const finding of findings) out(lineOf(finding));
    }
    const count = found.filter(({ outcome }) => outcome === 'wrong').length;
    out(count === 0 ? `Nothing is wrong with ${name}.\n` : `${count} to correct for ${name}.\n`);
    return count === 0 ? 0 : 1;
  });
}

/** All probes at once, their findings in order. */
async function* examine<Config extends ServiceConfig>(
  { service, probes = () => [], limits = LIMITS }: Patient<Config>,
  env: Environment,
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
    ...probes(config),
  ].map((probe) => findingsOf(probe, limits));
  for (const findings of all) yield await findings;
}

const SUBJECT_WIDTH = 12;

function lineOf({ outcome, subject, says }: Finding): string {
  return `${outcome.padEnd('wrong'.length)}  ${subject.padEnd(SUBJECT_WIDTH)}  ${says}\n`;
}
