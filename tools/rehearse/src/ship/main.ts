import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Streams, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { type Environment, loadConfig } from '@evenkeel/platform/config';
import { ClusterConfig } from '../cluster';
import { minutes, runSteps, withoutScript } from './run-steps';
import { SHIP, type Step } from './steps';

const ROOT = join(__dirname, '../../../..');

async function check(steps: readonly Step[], env: Environment, { out, err }: Streams): Promise<number> {
  const { DATA_DIR: dataDir } = loadConfig(ClusterConfig, env);
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const lost = withoutScript(steps, scripts).map(({ name, script }) => `${name} (npm run ${script})`);
  if (lost.length > 0)
    throw new Error(`package.json has no script for ${lost.join(', ')}. Leave them out with --skip.`);
  const report = (line: string): void => err(`${new Date().toISOString().slice(11, 19)}  ${line}\n`);
  const results = await runSteps(steps, { root: ROOT, outputFolder: resolve(ROOT, dataDir, 'ship'), env, report });
  const total = results.reduce((sum, { seconds }) => sum + seconds, 0);
  const rows = results.map(({ name, verdict, seconds }) => [name, verdict, minutes(seconds)]);
  for (const [name, verdict, time] of [...rows, ['all', '', minutes(total)]])
    out(`${name!.padEnd(12)}${verdict!.padEnd(12)}${time!.padStart(7)}\n`);
  return results.some(({ verdict }) => verdict === 'FAILED') ? 1 : 0;
}

startCommand(process.env, (args, env, streams) =>
  runCommand(SHIP, args, streams, (steps, safe) => check(steps, env, safe)),
);
