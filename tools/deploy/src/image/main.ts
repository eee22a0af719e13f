import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { AppName } from '@evenkeel/contracts';
import { Argument, Command, runCommand, startCommand, type Streams } from '@evenkeel/platform/command-line';
import type { Environment } from '@evenkeel/platform/config';
import { ensureDatabase, ownNodeOptions, startKafka, startRedis, startTemporaryPostgres } from '@evenkeel/services';
import { fillImageFolder } from './packages/main';

const ROOT = join(__dirname, '../../../..');
const run = promisify(execFile);
const START_LIMIT_MS = 120_000;
const OUTPUT_SHOWN = 2_000;
/** Files that an image has no use for, and files that no image may show. */
const NOT_IN_IMAGES =
  /\.(spec|fixture)\.(ts|js)$|(^|\/)(\.env[^/]*|\.git|\.npm|\.cache|id_rsa|[^/]+\.(pem|key))$|\/dist\/testing$/;
/** Nobody listens there: a program that starts asks nobody else. */
const NOBODY = 'http://127.0.0.1:1';

const TOOLS = ['tools/ops', 'tools/facilitator', 'tools/stripe'];
/** Projects of the images. */
const IMAGES = [...TOOLS, 'apps/agent-gateway', 'apps/accounts', 'apps/billing', 'apps/reporting'];

const CHECK = new Command('npm run image:check --')
  .description(
    `Fills a folder for each image as docker/Dockerfile does, without an engine: the compiled project, our libs that it
reaches, and the packages in use. Then starts every program from there, those of services against PostgreSQL, Redis and Kafka:
each must become ready, or end well.`,
  )
  .addArgument(new Argument('[projects...]', 'whose images').choices(IMAGES).default(IMAGES, 'all of them'))
  .addHelpText('after', '\nExit code 1 when something is wrong: a sentence for each.');

const keys = (): string => `trial:${randomBytes(32).toString('base64')}`;
/** The settings of a service beside those of its servers. */
const OWN: Readonly<Record<AppName, Record<string, string>>> = {
  'agent-gateway': {
    X402_PAY_TO: `0x${'ab'.repeat(20)}`,
    FACILITATOR_URL: NOBODY,
    X402_RPC_URL: 'none',
    ANSWER_KEYS: keys(),
    RECEIPT_KEYS: keys(),
  },
  accounts: { JWT_KEYS: keys(), REFRESH_TOKEN_KEYS: keys() },
  billing: { JWKS_URL: NOBODY },
  reporting: { ADMIN_TOKEN: randomBytes(24).toString('base64url') },
};

async function check(projects: readonly string[], env: Environment, { out, err }: Streams): Promise<number> {
  await using postgres = await startTemporaryPostgres();
  await using redis = await startRedis();
  await using kafka = await startKafka();
  const servers = { REDIS_URL: redis.url, KAFKA_BROKERS: kafka.brokers, PUBLIC_BASE_URL: NOBODY };
  const ports = { PORT: '0', INTERNAL_PORT: '0', WORKER_INTERNAL_PORT: '0' };
  let isRight = true;
  for (const project of projects) {
    out(`${project}\n`);
    const app = basename(project) as AppName;
    const DATABASE_URL = await ensureDatabase(postgres.url, app.replaceAll('-', '_'));
    const settings = TOOLS.includes(project) ? {} : { ...servers, ...OWN[app], ...ports, DATABASE_URL };
    const folder = await mkdtemp(join(tmpdir(), 'evenkeel-image-'));
    try {
      const found = await imageIn(folder, project, env);
      for (const program of programsOf(project))
        found.push(...(await startedFrom(join(folder, project, 'dist'), program, { PATH: env['PATH'], ...settings })));
      for (const sentence of found) err(`${project}: ${sentence}\n`);
      isRight &&= found.length === 0;
    } finally {
      await rm(folder, { recursive: true });
    }
  }
  if (isRight) out('Nothing is wrong.\n');
  return isRight ? 0 : 1;
}

/** The stage of packages of the Dockerfile; its `npm sbom` fails if packages are not those of the lock file. */
async function imageIn(folder: string, project: string, env: Environment): Promise<string[]> {
  await fillImageFolder(ROOT, project, folder);
  const dockerfile = readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8');
  const [, stage = ''] = /^FROM build AS packages$[^]*?^WORKDIR \/build\/image$([^]*?)^FROM /m.exec(dockerfile)!;
  const options = { cwd: folder, env: { ...env, APP: project }, maxBuffer: 64 * 1_048_576 };
  for (const [, command] of stage.matchAll(/^RUN (?:--mount=\S+ )?(.+)$/gm))
    await run('sh', ['-c', command!.replaceAll(' ../tools/', ` ${join(ROOT, 'tools')}/`)], options);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.startsWith('node_modules/') && NOT_IN_IMAGES.test(file))
    .map((file) => `${file} does not belong into an image.`);
}

/** Words after `node`: of a service its programs, and of every project the commands of operators by their help. */
function programsOf(project: string): string[][] {
  const app = basename(project);
  const page = readFileSync(join(ROOT, 'docs/operations/commands.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `[^`]+` +\| `([\w-]+) ([\w/-]+\.js[^`]*)`/gm)];
  const ofProject = project === 'tools/ops' ? /-events$/ : new RegExp(`^${app}$`);
  const commands = rows.flatMap(([, service, words]) => (ofProject.test(service!) ? [`${words} --help`] : []));
  if (project === 'tools/ops') commands.push('events/create-topics/main.js --help');
  else if (TOOLS.includes(project)) commands.push('main.js --help');
  else commands.push('migrate.js', [...ownNodeOptions(app), 'main.js'].join(' '), 'worker.js');
  return commands.map((words) => words.split(' '));
}

/** @returns what is wrong; nothing when it ends well, or is ready and ends well after SIGTERM */
async function startedFrom(cwd: string, program: readonly string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  const settings = { NODE_ENV: 'development', ...env };
  const args = ['--enable-source-maps', ...program];
  const child = spawn(process.execPath, args, { cwd, env: settings, stdio: ['ignore', 'pipe', 'pipe'] });
  let isReady = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (!chunk.toString().includes('{"ready":true')) return;
    isReady = true;
    child.kill('SIGTERM');
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
  const [ended, ...said] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  clearTimeout(limit);
  const [code] = ended as [number | null];
  const mustServe = /^(main|worker)\.js$/.test(program.at(-1)!);
  if (code === 0 && (!mustServe || isReady)) return [];
  return [`${program.join(' ')} ended with ${code}: ${said.join('').slice(-OUTPUT_SHOWN)}`];
}

startCommand(process.env, (args, env, streams) =>
  runCommand(CHECK, args, streams, ({ args: [projects] }, safe) => check(projects, env, safe)),
);
