import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { contextFiles } from './build-context';

/** All that a container of the image is given. */
export interface ImageSettings {
  env: Readonly<Record<string, string>>;
  /** Program and options, without the command that may be replaced. */
  entrypoint: readonly string[];
  command: readonly string[];
  user: string;
  workdir: string;
}

export interface Stage {
  name: string;
  base: string;
  /** Name and the rest of each instruction, lines joined, `${NAME}` as written. */
  instructions: readonly (readonly [name: string, text: string])[];
}

/** Of one command: npm on a slow line. */
const RUN_LIMIT_MS = 300_000;
/** What a command needs of this machine to find programs and the registry. */
const OF_THIS_MACHINE = ['PATH', 'HOME', 'NODE_EXTRA_CA_CERTS', 'http_proxy', 'https_proxy', 'no_proxy'];

export function stagesOf(dockerfile: string): Stage[] {
  const lines = dockerfile
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter(Boolean);
  const stages: { name: string; base: string; instructions: [string, string][] }[] = [];
  for (const line of lines) {
    const [, name = '', text = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    const [, base, stage] = /^(\S+) AS (\S+)$/.exec(text) ?? [];
    if (name === 'FROM') stages.push({ name: stage!, base: base!, instructions: [] });
    else stages.at(-1)?.instructions.push([name, text]);
  }
  return stages;
}

/** What the last stage says of a container of the project. */
export function settingsOf(dockerfile: string, project: string): ImageSettings {
  const { instructions } = stagesOf(dockerfile).at(-1)!;
  const all = (name: string): string[] =>
    instructions.filter(([one]) => one === name).map(([, text]) => text.replaceAll('${APP}', project));
  const list = (name: string): string[] => JSON.parse(all(name).at(-1) ?? '[]') as string[];
  const env = all('ENV').flatMap((text) => [...text.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));
  return {
    env: Object.fromEntries(env) as Record<string, string>,
    entrypoint: list('ENTRYPOINT'),
    command: list('CMD'),
    user: all('USER').at(-1) ?? '',
    workdir: all('WORKDIR').at(-1) ?? '/',
  };
}

export interface Performance {
  /** The checkout. */
  context: string;
  /** Where the stages get a folder each, which stands for their root. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Called before each command. */
  onStep: (step: string) => void;
}

/** Runs the commands of the stages `build`, once, and `packages`, for each project, with the programs of this machine. */
export class ImageFolders {
  private readonly stages: readonly Stage[];
  private built: Promise<string> | undefined;

  constructor(
    dockerfile: string,
    private readonly performance: Performance,
  ) {
    this.stages = stagesOf(dockerfile);
  }

  /** @returns the folder that stands for the root of the image: `app` is in it, without Node */
  async of(project: string): Promise<string> {
    this.built ??= this.build();
    const packages = join(this.performance.folder, `packages-${project.replace('/', '-')}`);
    // Hard links: the stage adds files, and changes none of those below it.
    await this.run(`cp -al "${await this.built}" "${packages}"`, this.performance.folder, {});
    await this.commands('packages', packages, { APP: project });
    const root = join(this.performance.folder, `image-${project.replace('/', '-')}`);
    await mkdir(root);
    await this.run(`mv "${packages}/build/image" "${root}/app"`, root, {});
    return root;
  }

  private async build(): Promise<string> {
    const { context, folder } = this.performance;
    const root = join(folder, 'build');
    for (const file of contextFiles(context)) await cp(join(context, file), join(root, 'build', file));
    await this.commands('build', root, {});
    return root;
  }

  private async commands(name: string, root: string, args: Readonly<Record<string, string>>): Promise<void> {
    const { base, instructions } = this.stages.find((stage) => stage.name === name)!;
    const below = this.stages.find((stage) => stage.name === base)?.instructions ?? [];
    let workdir = below.filter(([one]) => one === 'WORKDIR').at(-1)?.[1] ?? '/';
    for (const [instruction, text] of instructions) {
      if (instruction === 'WORKDIR') workdir = text;
      if (instruction !== 'RUN') continue;
      this.performance.onStep(`${name}: ${text}`);
      const command = text.replace(/^--mount=\S+ /, '');
      // A path from the root would be one of this machine.
      if (/(^|[\s=:<>'"])\//.test(command))
        throw new Error(`Dockerfile: "${command}" names a path outside of the stage.`);
      await this.run(command, join(root, workdir), args);
    }
  }

  private async run(command: string, cwd: string, args: Readonly<Record<string, string>>): Promise<void> {
    const kept = OF_THIS_MACHINE.map((name) => [name, this.performance.env[name]]);
    const env = { ...Object.fromEntries(kept), ...args } as NodeJS.ProcessEnv;
    const limit = { timeout: RUN_LIMIT_MS, killSignal: 'SIGKILL' } as const;
    const child = spawn('sh', ['-c', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], ...limit });
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => output.push(part.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code === 0) return;
    const end = code === null ? `did not end within ${RUN_LIMIT_MS / 1_000} s` : `ended with ${code}`;
    throw new Error(`Dockerfile: "${command}" ${end}.\n${output.join('').trimEnd().split('\n').slice(-20).join('\n')}`);
  }
}
