import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLUSTER, runCluster } from '../cluster';
import { CHECK } from '@evenkeel/deploy/image';
import { LOAD, runLoad, runSoak, SETTLED_MINUTES, SOAK } from '../load';
import { CONFIGURATIONS, modelCommand } from '../model';
import { runCommand, type Streams } from '@evenkeel/platform/command-line';
import type { Environment } from '@evenkeel/platform/config';
import { COMPAT } from '../compat/command';
import { FAULTS } from '../faults/command';
import { REHEARSE } from '../restore/command';
import { STEPS, type Step } from './steps';

interface Command {
  howToAskForHelp: string;
  parse(args: readonly string[]): unknown;
}

/** What reads the arguments of each script. */
const COMMANDS: Command[] = [modelCommand(CONFIGURATIONS), CHECK, COMPAT, CLUSTER, FAULTS, REHEARSE, LOAD, SOAK];

function commandOf({ script }: Step): Command {
  const found = COMMANDS.find(({ howToAskForHelp }) => howToAskForHelp === `npm run ${script} -- --help`);
  if (found === undefined) throw new Error(`nothing here reads what follows npm run ${script}`);
  return found;
}

const byName = STEPS.map((step) => [step.name, step] as const);
const stepOf = (name: string): Step => STEPS.find((step) => step.name === name)!;

it.each(byName)('%s is called as its script reads it', (_name, step) => {
  expect(() => commandOf(step).parse(step.args ?? [])).not.toThrow();
});

it('soaks long enough to judge memory', () => {
  const wanted = SOAK.parse(stepOf('soak').args!);
  expect(wanted).toMatchObject({ minutes: expect.any(Number) as number });
  if (wanted !== 'help') expect(wanted.minutes).toBeGreaterThan(SETTLED_MINUTES + 2);
});

it('sends a load that two cores have to bear: each kind alone, at its full rate', () => {
  const step = stepOf('load');
  expect(LOAD.parse(step.args ?? [])).toMatchObject({ together: false, mix: { discovery: 2_000, webhook: 300 } });
});

describe('where no cluster runs', () => {
  let DATA_DIR: string;
  beforeEach(() => (DATA_DIR = mkdtempSync(join(tmpdir(), 'evenkeel-none-'))));
  afterEach(() => rmSync(DATA_DIR, { recursive: true }));

  const { signal } = new AbortController();
  /** Steps that start nothing themselves; all others have what they need from their own programs. */
  const looking: Record<string, (step: Step, env: Environment, streams: Streams) => Promise<number>> = {
    load: ({ args = [] }, env, streams) =>
      runCommand(LOAD, args, streams, (wanted, safe) => runLoad(wanted, env, safe, signal)),
    soak: ({ args = [] }, env, streams) =>
      runCommand(SOAK, args, streams, (wanted, safe) => runSoak(wanted, env, safe, signal)),
    journeys: ({ args = [] }, env, streams) =>
      runCommand(CLUSTER, args, streams, (wanted, safe) => runCluster(wanted, env, safe)),
  };

  it.each(Object.entries(looking))('%s ends with a sentence, so it has one started for it', async (name, run) => {
    const step = stepOf(name);
    let said = '';
    const streams = { out: () => undefined, err: (text: string) => void (said += text) };
    expect(await run(step, { DATA_DIR }, streams)).toBeGreaterThan(0);
    expect(said).toMatch(/^No cluster .*npm run cluster/);
    expect(step.against).toBe('cluster');
  });

  it('no other step has one', () => {
    const others = STEPS.filter(({ against }) => against !== undefined).map(({ name }) => name);
    expect(others.sort()).toEqual(Object.keys(looking).sort());
  });
});
