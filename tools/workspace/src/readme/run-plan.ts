import { PLAN, type Block, type Run, type Scene } from './plan';
import { Terminal } from './terminal';

/** A busy machine compiles, fetches and starts for minutes. */
const LIMIT_MS = 600_000;
const SCENES: readonly Scene[] = ['nothing', 'product', 'services'];

interface RunOptions {
  /** A copy of the workspace, where commands may write. */
  folder: string;
  env: NodeJS.ProcessEnv;
  report: (line: string) => void;
}

/** Runs the planned ones of these blocks, scene by scene. @returns the names of those that failed */
export async function runPlan(blocks: ReadonlyMap<string, Block>, options: RunOptions): Promise<string[]> {
  const failed: string[] = [];
  for (const scene of SCENES) {
    const ofScene = Object.entries(PLAN).filter(([name, how]) => how.scene === scene && blocks.has(name));
    if (ofScene.length > 0) failed.push(...(await runScene(scene, ofScene, blocks, options)));
  }
  return failed;
}

async function runScene(
  scene: Scene,
  runs: readonly [name: string, how: Run][],
  blocks: ReadonlyMap<string, Block>,
  { folder: cwd, env, report }: RunOptions,
): Promise<string[]> {
  const failed: string[] = [];
  const staying: Terminal[] = [];
  const failing = (name: string) => (error: Error) => {
    report(`  failed: ${error.message}`);
    failed.push(name);
  };
  try {
    const services =
      scene === 'services' ? await startServices(new Terminal('npm run services', { cwd, env }), staying) : [];
    for (const [name, { service, instead = [], untilItPrints }] of runs) {
      const block = blocks.get(name)!;
      report(`${name}, ${block.file}:${block.line}`);
      const text = instead.reduce((typed, [written, replaced]) => typed.replace(written, replaced), block.text);
      const own = services.filter(({ of }) => of === undefined || of === service);
      const exported = Object.fromEntries(own.map(({ variable, value }) => [variable, value]));
      const terminal = new Terminal(text, { cwd, env: { ...env, ...exported } });
      if (untilItPrints) staying.push(terminal);
      const done = untilItPrints ? terminal.prints(untilItPrints, LIMIT_MS) : terminal.success(LIMIT_MS);
      await done.catch(failing(name));
    }
  } finally {
    // Processes that use the services end before them.
    for (const terminal of staying.reverse()) await terminal.stop().catch(failing(`the end of ${scene}`));
  }
  return failed;
}

interface Exported {
  /** The service whose terminal has it; undefined: every one. */
  of: string | undefined;
  variable: string;
  value: string;
}

async function startServices(terminal: Terminal, staying: Terminal[]): Promise<Exported[]> {
  staying.push(terminal);
  await terminal.prints(/Ctrl-C stops them/, LIMIT_MS);
  const lines = terminal.output.matchAll(/(?:^# in the terminal of (\S+):\n)?^export (\w+)='(.*)'$/gm);
  const exported = [...lines].map(([, of, variable, value]): Exported => ({ of, variable: variable!, value: value! }));
  const seeded = exported.find(({ of }) => of === 'reporting')!.value.replace(/reporting$/, 'postgres');
  return [...exported, { of: undefined, variable: 'SEEDED_URL', value: seeded }];
}
