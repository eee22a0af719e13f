import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type ComposeService, operatorCommands, readCompose } from '../compose/compose';
import { ownerOf } from '../compose/compose-rules';
import { Container } from '../performing/container';
import { ImageFolders, settingsOf } from '../performing/dockerfile';
import { ComposedRun, type ComposedRunOptions } from './composed-run';
import { contentsOf, offencesIn as offencesOfContents } from './image-contents';

/** What a container must refuse, tried from within: it tells what it could do. */
const INTRUDER = `
  const { execSync } = require('node:child_process');
  const { writeFileSync } = require('node:fs');
  const done = [];
  const attempt = (what, work) => { try { work(); done.push(what); } catch {} };
  for (const file of ['/x', '/app/x', 'x', '/run/secrets/x']) attempt('writes ' + file, () => writeFileSync(file, ''));
  attempt('has a shell', () => execSync('true'));
  attempt('cannot write to /tmp', () => { try { writeFileSync('/tmp/x', ''); } catch { return; } throw new Error(); });
  console.log(JSON.stringify({ ready: true, done: done.join(', ') }));`;

/** Of a program that does next to nothing. */
const SHORT_RUN_MS = 60_000;
const HTTPS_IN_PRODUCTION = { PUBLIC_BASE_URL: 'https://evenkeel.example' };
/** Commands of operators that only read, and agree while nothing has happened; of the others the image has the help. */
const READING = new Set(['operations/reconciliation/main.js', 'reconciliation/main.js']);

export interface CheckOptions extends Omit<ComposedRunOptions, 'folder'> {
  /** Projects to check; those that their programs call come along. */
  projects: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  say: (line: string) => void;
}

/**
 * Performs the Dockerfile for each project and runs every program of compose.yaml from the results.
 * @returns what is wrong, a sentence for each
 */
export async function checkImages(options: CheckOptions): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-images-'));
  const containers = new Map<string, Container>();
  try {
    return await new Check(options, folder, containers).run();
  } finally {
    options.say('removing what was made');
    // A hundred thousand files: rmSync takes minutes for them.
    const made = [folder, ...[...containers.values()].map(({ root }) => root)];
    execFileSync('rm', ['-rf', '--', ...made]);
  }
}

class Check {
  private readonly offences: string[] = [];

  constructor(
    private readonly options: CheckOptions,
    private readonly folder: string,
    private readonly containers: Map<string, Container>,
  ) {}

  async run(): Promise<string[]> {
    const { root, say, env } = this.options;
    const text = readFileSync(join(root, 'docker/Dockerfile'), 'utf8');
    const steps = {
      context: root,
      folder: join(this.folder, 'stages'),
      env,
      onStep: (step: string) => say(`  ${step}`),
    };
    const { services } = readCompose(readFileSync(join(root, 'docker/compose.yaml'), 'utf8'));
    const projects = withNeighbours(this.options.projects, [...services.values()]);
    const folders = new ImageFolders(text, steps);
    for (const project of projects) await this.reported(project, this.image(project, text, folders));
    const isHere = (name: string): boolean => {
      const { build, isOnRequest, dependsOn } = services.get(name)!;
      if (!build) return !isOnRequest;
      return projects.includes(build.args.APP) && (!isOnRequest || Object.keys(dependsOn).every(isHere));
    };
    const ours = inOrder([...services.values()]).filter(({ name, build }) => build && isHere(name));
    if (this.offences.length === 0) await this.programs(ours);
    return this.offences;
  }

  private async image(project: string, dockerfile: string, folders: ImageFolders): Promise<void> {
    const { root, say } = this.options;
    say(`${project}: performing docker/Dockerfile`);
    const stage = await folders.of(project);
    const app = join(stage, 'app');
    if (!existsSync(join(app, 'sbom.cdx.json'))) this.offences.push(`${project}: the image has no list of packages.`);
    this.offences.push(...offencesOfContents(app, root).map((sentence) => `${project}: ${sentence}`));
    const { megabytes, packages } = contentsOf(app);
    say(`${project}: ${megabytes.toFixed(0)} MB without Node, ${packages.length} packages`);
    const container = Container.of(stage, settingsOf(dockerfile, project));
    this.containers.set(project, container);
    await this.containment(project, container);
  }

  private async containment(project: string, container: Container): Promise<void> {
    const { done = '' } = await container.start({ command: ['-e', INTRUDER] }).untilReady(SHORT_RUN_MS);
    if (done !== '') this.offences.push(`${project}: a program of its container ${done}.`);
    if (!project.startsWith('apps/')) return;
    const bare = container.start({});
    const code = await bare.untilEnded(SHORT_RUN_MS);
    const said = bare.output.join('\n');
    if (code !== 1 || !said.includes('DATABASE_URL') || /^\s+at /m.test(said)) {
      this.offences.push(`${project}: without settings it does not stop with a sentence: ${code}, ${said}`);
    }
  }

  /** Everything of compose.yaml that has one of the images, in an order in which each meets what it waits for. */
  private async programs(ours: readonly ComposeService[]): Promise<void> {
    const { say } = this.options;
    const secrets = join(this.folder, 'secrets');
    mkdirSync(secrets);
    const composed = await ComposedRun.prepare({ ...this.options, folder: secrets });
    const started: string[] = [];
    try {
      for (const service of ours) {
        const container = this.containers.get(service.build!.args.APP)!;
        const began = performance.now();
        const { isJob: ends } = service;
        const run = ends ? composed.job(service, container) : composed.server(service, container);
        await this.reported(service.name, run);
        if (!ends) started.push(service.name);
        say(`${service.name}: ${ends ? 'done' : 'ready'} after ${((performance.now() - began) / 1_000).toFixed(1)} s`);
      }
      for (const service of ours) await this.doctor(service, composed);
      await this.commands(ours, composed);
      for (const name of started.reverse()) {
        const took = await this.reported(name, composed.stop(name));
        if (took !== undefined) say(`${name}: exited ${(took / 1_000).toFixed(1)} s after SIGTERM`);
      }
    } finally {
      composed.kill();
    }
  }

  /** Each service that has the program for it is asked what its settings lack, once all run that they name. */
  private async doctor(service: ComposeService, composed: ComposedRun): Promise<void> {
    const { root, say } = this.options;
    const project = service.build!.args.APP;
    if (service.name !== basename(project) || !existsSync(join(root, project, 'src/doctor.ts'))) return;
    const name = `${service.name}-doctor`;
    const container = this.containers.get(project)!;
    // Production wants people to come over https, which compose on one machine does not offer.
    const isTrial = service.environment.NODE_ENV === 'development';
    const environment = { ...service.environment, ...(!isTrial && HTTPS_IN_PRODUCTION) };
    const job = { ...service, name, environment, command: ['doctor.js'] };
    await this.reported(name, composed.job(job, container));
    say(`${name}: asked`);
  }

  /** What operators are told to type, from the same images. */
  private async commands(ours: readonly ComposeService[], composed: ComposedRun): Promise<void> {
    const { root, say } = this.options;
    for (const { service: name, command } of operatorCommands(root)) {
      const service = ours.find((one) => one.name === name);
      if (!service || command.length === 0 || command[0] === 'doctor.js') continue;
      const typed = [name, ...command].join(' ');
      const words = READING.has(command.join(' ')) ? command : [...command, '--help'];
      const job = { ...service, name: `${ownerOf(name)}-operation`, command: words };
      await this.reported(typed, composed.job(job, this.containers.get(service.build!.args.APP)!));
      say(`${typed}: tried`);
    }
  }

  private async reported<Result>(name: string, work: Promise<Result>): Promise<Result | undefined> {
    try {
      return await work;
    } catch (error) {
      this.offences.push(`${name} ${(error as Error).message}`);
      return undefined;
    }
  }
}

/** The chosen projects and those whose services their own wait for or have the address of, in the order of compose. */
export function withNeighbours(chosen: readonly string[], services: readonly ComposeService[]): string[] {
  const built = services.filter(({ build, isOnRequest }) => build && !isOnRequest);
  const taken = new Set(chosen);
  for (let before = 0; before < taken.size;) {
    before = taken.size;
    for (const { dependsOn, environment } of built.filter(({ build }) => taken.has(build!.args.APP))) {
      const hosts = Object.values(environment).flatMap((value) => [...value.matchAll(/\/\/([a-z-]+):\d/g)]);
      const named = [...Object.keys(dependsOn), ...hosts.map(([, host]) => host)];
      for (const { name, build } of built) if (named.includes(name)) taken.add(build!.args.APP);
    }
  }
  return [...new Set(built.map(({ build }) => build!.args.APP))].filter((project) => taken.has(project));
}

/** Each service after those that it waits for. */
export function inOrder(services: readonly ComposeService[]): ComposeService[] {
  const ordered: ComposeService[] = [];
  let left = [...services];
  while (left.length > 0) {
    const waits = (service: ComposeService) => left.some(({ name }) => name in service.dependsOn);
    const next = left.filter((service) => !waits(service));
    if (next.length === 0)
      throw new Error(`compose.yaml: ${left.map(({ name }) => name).join(', ')} wait for one another.`);
    ordered.push(...next);
    left = left.filter((service) => !next.includes(service));
  }
  return ordered;
}
