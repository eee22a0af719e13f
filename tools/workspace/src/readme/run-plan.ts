import { Terminal } from './terminal';
import type { Block } from './blocks';
import type { NotRun, Run, Scene } from './plan';

/** A busy machine compiles, fetches and starts for minutes. */
const LIMIT_MS = 600_000;
const SERVICES_ARE_UP = /Ctrl-C stops them/;
const SCENES: readonly Scene[] = ['nothing', 'product', 'services'];

interface RunOptions {
  /** A copy of the workspace, where commands may write. */
  folder: string;
  env: NodeJS.ProcessEnv;
  report: (line: string) => void;
}

type Planned = readonly [name: string, block: Block, run: Run];

/** Runs the blocks of a plan, scene by scene. @returns what failed, by the names of the blocks */
export async function runPlan(
  blocks: ReadonlyMap<string, Block>,
  plan: Readonly<Record<string, Run | NotRun>>,
  options: RunOptions,
): Promise<ReadonlyMap<string, string>> {
  const planned = Object.entries(plan).flatMap(([name, how]): Planned[] =>
    'scene' in how && blocks.has(name) ? [[name, blocks.get(name)!, how]] : [],
  );
  const failures = new Map<string, string>();
  for (const scene of SCENES) {
    const ofScene = planned.filter(([, , how]) => how.scene === scene);
    if (ofScene.length > 0) await runScene(scene, ofScene, failures, options);
  }
  return failures;
}

async function runScene(
  scene: Scene,
  blocks: readonly Planned[],
  failures: Map<string, string>,
  options: RunOptions,
): Promise<void> {
  const staying: Terminal[] = [];
  try {
    const services = scene === 'services' ? await startServices(options, staying) : () => ({});
    for (const [name, block, how] of blocks) {
      options.report(`${name}, ${block.file}:${block.line}`);
      const env = { ...options.env, ...services(how.service) };
      await runBlock(block, how, { ...options, env }, staying).catch((error: Error) => {
        options.report(`  failed: ${error.message}`);
        failures.set(name, error.message);
      });
    }
  } finally {
    // Processes that use the services end before them.
    for (const terminal of staying.reverse()) {
      await terminal.stop().catch((error: Error) => failures.set(`the end of ${scene}`, error.message));
    }
  }
}

async function runBlock(
  block: Block,
  { instead = [], untilItPrints }: Run,
  { folder: cwd, env }: RunOptions,
  staying: Terminal[],
): Promise<void> {
  const text = instead.reduce((typed, [written, replaced]) => typed.replace(written, replaced), block.text);
  const terminal = new Terminal(text, { cwd, env });
  if (!untilItPrints) return terminal.success(LIMIT_MS);
  staying.push(terminal);
  await terminal.prints(untilItPrints, LIMIT_MS);
}

/** @returns what is exported in the terminal of a service */
async function startServices(
  { folder, env }: RunOptions,
  staying: Terminal[],
): Promise<(service?: string) => NodeJS.ProcessEnv> {
  const terminal = new Terminal('npm run services', { cwd: folder, env });
  staying.push(terminal);
  await terminal.prints(SERVICES_ARE_UP, LIMIT_MS);
  const exported = [...terminal.output.matchAll(/(?:^# in the terminal of (\S+):\n)?^export (\w+)='(.*)'$/gm)];
  const seeded = exported.find(([, service]) => service === 'reporting')?.[3]?.replace(/reporting$/, 'postgres');
  return (service) => ({
    ...(seeded !== undefined && { SEEDED_URL: seeded }),
    ...Object.fromEntries(
      exported
        .filter(([, of]) => of === undefined || of === service)
        .map(([, , variable, value]): [string, string] => [variable!, value!]),
    ),
  });
}
