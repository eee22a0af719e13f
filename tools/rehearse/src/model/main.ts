import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, startCommand } from '@evenkeel/platform/command-line';
import {
  CONFIGURATIONS,
  type Configuration,
  type ModelOptions,
  type Search,
  modelCommand,
  readSearch,
} from './configurations';
import { needPrograms, run } from './programs';

const MODELS = join(__dirname, '../../../../docs/model');

/** Of the search: megabytes, steps, and two to this power of hash places. */
const LIMITS = { memory: 6_000, depth: 200_000, places: { quick: 22, usual: 24, large: 26 } };

/**
 * How a state that was seen is stored: as it is, a third sooner; compressed, where there are many; as a hash of 64 bits, where
 * there are more: one in billions may be taken for seen.
 */
const STORED = { quick: [], usual: ['-DCOLLAPSE'], large: ['-DHC4'] };

/** What spin says when it ran to its end, with or without a counterexample. */
const ENDED = [0, 1];

interface Place {
  /** A folder that each search may make one of its own in. */
  folder: string;
  signal?: AbortSignal;
}

async function checkModels(options: ModelOptions): Promise<0 | 1> {
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
    return surprises.length > 0 ? 1 : 0;
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
  if (trace && found === 'fails') console.log(await counterexample(configuration, place));
  return found === expected;
}

/** Searches every state that a configuration can reach. @throws Error when spin or gcc does not take the model */
async function check({ name, model, switches, size }: Configuration, place: Place): Promise<Search> {
  const here = { cwd: join(place.folder, name), signal: place.signal };
  await rm(here.cwd, { recursive: true, force: true });
  await mkdir(here.cwd, { recursive: true });
  await cp(MODELS, here.cwd, { recursive: true });
  await run('spin', ['-a', ...definitions(switches), `${model}.pml`], here);
  // Not optimized: the compiler would take minutes, and the search would gain a tenth.
  await run('gcc', ['-w', '-DSAFETY', ...STORED[size], `-DMEMLIM=${LIMITS.memory}`, '-o', 'pan', 'pan.c'], here);
  const limits = [`-m${LIMITS.depth}`, `-w${LIMITS.places[size]}`];
  return readSearch(await run('./pan', limits, { ...here, statuses: ENDED }));
}

/** @returns the counterexample of a search that failed, step by step */
async function counterexample({ name, model, switches }: Configuration, { folder, signal }: Place): Promise<string> {
  const args = ['-t', '-T', ...definitions(switches), `${model}.pml`];
  const trail = await run('spin', args, { cwd: join(folder, name), signal, statuses: ENDED });
  const [steps = ''] = trail.split(/^.*trail ends/m);
  return steps.replace(/^(spin.*| *| *\d+ processes created)\n/gm, '');
}

function definitions(switches: Configuration['switches']): string[] {
  return Object.entries(switches).map(([name, value]) => `-D${name}=${value}`);
}

startCommand(process.env, (args, _env, streams) =>
  runCommand(modelCommand(CONFIGURATIONS), args, streams, checkModels, { badUsage: 2, failed: 2 }),
);
