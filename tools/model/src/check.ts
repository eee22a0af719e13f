import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Configuration } from './configuration';
import { run } from './programs';
import { readSearch, type Search } from './read-search';

const MODELS = join(__dirname, '../../../docs/model');
/** Of the search: megabytes, steps, and two to this power of hash places. */
const LIMITS = { memory: 6_000, depth: 200_000, places: { quick: 22, usual: 24, large: 26 } };
/**
 * How a state that was seen is kept: as it is, a third sooner; compressed, where there are many; as a hash of 64 bits, where
 * there are more: one in billions may be taken for seen.
 */
const KEPT = { quick: [], usual: ['-DCOLLAPSE'], large: ['-DHC4'] };
/** What spin says when it ran to its end, with or without a counterexample. */
const ENDED = [0, 1];

export interface Place {
  /** A folder that each search may make one of its own in. */
  folder: string;
  signal?: AbortSignal;
}

/** Searches every state that a configuration can reach. @throws Error when spin or gcc does not take the model */
export async function check({ name, model, switches, size }: Configuration, place: Place): Promise<Search> {
  const here = { cwd: join(place.folder, name), signal: place.signal };
  await rm(here.cwd, { recursive: true, force: true });
  await mkdir(here.cwd, { recursive: true });
  await cp(MODELS, here.cwd, { recursive: true });
  await run('spin', ['-a', ...definitions(switches), `${model}.pml`], here);
  // Not optimized: the compiler would take minutes, and the search would gain a tenth.
  await run('gcc', ['-w', '-DSAFETY', ...KEPT[size], `-DMEMLIM=${LIMITS.memory}`, '-o', 'pan', 'pan.c'], here);
  const limits = [`-m${LIMITS.depth}`, `-w${LIMITS.places[size]}`];
  return readSearch(await run('./pan', limits, { ...here, statuses: ENDED }));
}

/** Tells the counterexample of a search that failed, step by step. */
export async function story({ name, model, switches }: Configuration, { folder, signal }: Place): Promise<string> {
  const args = ['-t', '-T', ...definitions(switches), `${model}.pml`];
  const told = await run('spin', args, { cwd: join(folder, name), signal, statuses: ENDED });
  const [steps = ''] = told.split(/^.*trail ends/m);
  return steps.replace(/^(spin.*| *| *\d+ processes created)\n/gm, '');
}

function definitions(switches: Configuration['switches']): string[] {
  return Object.entries(switches).map(([name, value]) => `-D${name}=${value}`);
}
