import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { CommandLine, oneArgument, oneOf, runCommand, type Streams } from '@evenkeel/platform/command-line';
import type { Environment } from '@evenkeel/platform/config';

const DOCTOR = new CommandLine({
  call: 'npm run doctor',
  about: `Tries what the settings of a service lead to: database and schema, Kafka and its topics, Redis, and what only this service
uses. Each line says ok, off (not configured, and nothing needs it), or wrong, with what to set.`,
  usage: [`npm run doctor -- <${APP_NAMES.join('|')}>`],
  options: {},
  parts: {
    Environment: `The settings of the service, as its programs read them, <NAME>_FILE included. Those of a local run are in files:
set -a; . .data/billing.env; set +a`,
  },
  ends: 'Ends with 0 when nothing is wrong, 1 when something is, 2 when the command could not be understood.',
  takesArguments: true,
  read: (_, given) => {
    const services = APP_NAMES.join(', ');
    const missing = `name the service: ${services}`;
    return oneOf(APP_NAMES, oneArgument(given, { missing, more: 'one service at a time' }), 'the service');
  },
});

const ROOT = join(__dirname, '../../../..');

/** The program `doctor` of a service, on the streams of this process. @returns its exit code */
async function examine(service: AppName, env: Environment): Promise<number> {
  const program = join(ROOT, 'apps', service, 'src/doctor.ts');
  const child = spawn('sh', [join(ROOT, 'tools/run.sh'), program], { cwd: ROOT, env, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** @returns the exit code */
export function run(args: readonly string[], env: Environment, streams: Streams): Promise<number> {
  return runCommand(DOCTOR, args, streams, (service) => examine(service, env));
}
