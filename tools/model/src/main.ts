import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, story, type Place } from './check';
import type { Configuration } from './configuration';
import { CONFIGURATIONS } from './configurations';
import { HELP, readOptions, type ModelOptions } from './model-options';
import { needPrograms } from './need-programs';

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), CONFIGURATIONS);
  if (options.help) return void process.stdout.write(HELP);
  await needPrograms(options.installs, (line) => console.error(line));

  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const place = { folder: await mkdtemp(join(tmpdir(), 'evenkeel-model-')), signal: interrupted.signal };
  try {
    const surprises = await checkAll(options, place);
    const total = options.configurations.length;
    console.log(
      `${total - surprises.length} of ${total} as expected${surprises.map((name) => `, not ${name}`).join('')}`,
    );
    if (surprises.length > 0) process.exitCode = 1;
  } finally {
    await rm(place.folder, { recursive: true, force: true });
  }
}

/** @returns the names of those that came out otherwise than expected */
async function checkAll({ configurations, jobs, trace }: ModelOptions, place: Place): Promise<string[]> {
  console.log('expected found           states  seconds  name');
  const surprises: string[] = [];
  const workOff = async (waiting: Configuration[]) => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      if (!(await checkOne(next, place, trace))) surprises.push(next.name);
    }
  };
  const small = configurations.filter(({ size }) => size !== 'large');
  await Promise.all(Array.from({ length: jobs }, () => workOff(small)));
  // One after the other: each takes gigabytes.
  await workOff(configurations.filter(({ size }) => size === 'large'));
  return surprises;
}

async function checkOne(configuration: Configuration, place: Place, trace: boolean): Promise<boolean> {
  const { name, expected } = configuration;
  if (process.stderr.isTTY) process.stderr.write(`         …                                ${name}\r`);
  const { found, states, seconds } = await check(configuration, place);
  console.log([expected.padEnd(8), found.padEnd(10), states.padStart(11), seconds.padStart(8), '', name].join(' '));
  if (trace && found === 'fails') console.log(await story(configuration, place));
  return found === expected;
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 2;
});
