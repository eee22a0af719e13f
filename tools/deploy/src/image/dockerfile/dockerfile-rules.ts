import {
  argumentOf,
  listOf,
  NotUnderstood,
  pairsOf,
  type Dockerfile,
  type Instruction,
  type Stage,
} from './dockerfile';

/** What the last stage comes to: all that a container of the image is given. */
export interface ImageSettings {
  env: Readonly<Record<string, string>>;
  labels: Readonly<Record<string, string>>;
  /** Program and arguments, the command that may be replaced not among them. */
  entrypoint: readonly string[];
  command: readonly string[];
  user: string;
}

const LABELS = ['title', 'description', 'vendor', 'licenses', 'version', 'revision', 'base.name'].map(
  (name) => `org.opencontainers.image.${name}`,
);
const SECRET_NAME = /SECRET|TOKEN|PASSWORD|CREDENTIAL|(^|_)KEYS?($|_)/;
/** Without the second V8 keeps 15 MB more for new objects, and nothing is faster. */
const NODE_OPTIONS = ['--enable-source-maps', '--max-semi-space-size'];
const SHELLS = /(^|\/)(sh|bash|dash|ash|busybox)$/;

/**
 * What an image of ours must not do, a sentence for each place.
 * @param given values of the arguments that have no default
 */
export function offencesIn({ args, stages }: Dockerfile, given: Readonly<Record<string, string>>): string[] {
  const offences: string[] = [];
  const offend = (line: number, sentence: string): void => void offences.push(`line ${line}: ${sentence}`);
  for (const [index, stage] of stages.entries()) {
    const earlier = stages.slice(0, index).map(({ name }) => name);
    const { line, base } = stage;
    if (!earlier.includes(base) && base !== 'scratch' && !hasVersion(base)) {
      offend(line, `the image ${base} has no version: name a tag with its number, or a digest.`);
    }
    for (const instruction of stage.instructions) {
      for (const sentence of offencesOf(instruction, earlier)) offend(instruction.line, sentence);
    }
  }
  const last = stages.at(-1);
  if (!last) return ['line 1: there is no stage.'];
  for (const { line, flags } of last.instructions.filter(({ name, flags: { from } }) => name === 'COPY' && from)) {
    const source = stages.find(({ name }) => name === flags.from);
    const installs = source?.instructions.filter(({ name, text }) => name === 'RUN' && /\bnpm ci\b/.test(text)) ?? [];
    if (!installs.some(({ text }) => text.includes('--omit=dev'))) {
      offend(line, `${flags.from} has packages of development: it runs no npm ci --omit=dev.`);
    }
  }
  return [...offences, ...lastStageOffences(last, given, args)];
}

/** `node:24-bookworm-slim`, `…/nodejs24-debian12:nonroot` and every digest name one version; `latest` and no tag do not. */
export function hasVersion(image: string): boolean {
  const [, name = '', tag = '', digest] = /^(.*?)(?::([\w.-]+))?(@sha256:[0-9a-f]{64})?$/.exec(image) ?? [];
  if (digest !== undefined) return true;
  return tag !== '' && tag !== 'latest' && /\d/.test(tag + name.slice(name.lastIndexOf('/') + 1));
}

function offencesOf({ name, flags, text }: Instruction, earlier: readonly string[]): string[] {
  if (name === 'COPY' && flags.from !== undefined && !earlier.includes(flags.from)) {
    return [`COPY --from=${flags.from} names no stage before it.`];
  }
  if (name === 'RUN' && /\b(curl|wget|apt-get|apk)\b/.test(text)) {
    return ['RUN fetches what no lock file names.'];
  }
  if ((name === 'ENV' || name === 'ARG') && SECRET_NAME.test(text.split('=')[0]!)) {
    return [`${name} ${text.split('=')[0]} would keep a secret in the image.`];
  }
  return [];
}

function lastStageOffences(
  stage: Stage,
  given: Readonly<Record<string, string>>,
  args: Readonly<Record<string, string>>,
) {
  const offences: string[] = [];
  const { base, instructions, line } = stage;
  const offend = (at: number, sentence: string): void => void offences.push(`line ${at}: ${sentence}`);
  if (base !== 'scratch' && (!base.includes('distroless/') || base.includes('debug'))) {
    offend(line, `the last stage stands on ${base}, which has a shell.`);
  }
  for (const { line: at, name, flags, text } of instructions) {
    if (name === 'RUN') offend(at, 'the last stage has no shell for a RUN.');
    if (name === 'COPY' && flags.from === undefined)
      offend(at, 'the last stage takes something of the checkout itself.');
    if (name === 'HEALTHCHECK' && !/CMD \[/.test(text)) offend(at, 'HEALTHCHECK needs a shell: write CMD ["program"].');
  }
  let settings: ImageSettings;
  try {
    settings = settingsOf(stage, given, args);
  } catch (error) {
    if (error instanceof NotUnderstood) return [...offences, error.message.replace(/^Dockerfile /, '')];
    throw error;
  }
  const { env, labels, entrypoint, command, user } = settings;
  const [id, group] = user.split(':').map(Number);
  if (!(id! > 0 && group! > 0)) offend(line, 'USER must be two numbers above 0, user and group.');
  if (env.NODE_ENV !== 'production') offend(line, 'ENV NODE_ENV=production is missing.');
  if (env.INTERNAL_HOST !== '0.0.0.0') offend(line, 'ENV INTERNAL_HOST=0.0.0.0 is missing: probes would not reach it.');
  const [program = '', ...options] = entrypoint;
  if (SHELLS.test(program) || !program.endsWith('/node'))
    offend(line, 'ENTRYPOINT must be node itself: signals reach it.');
  for (const option of NODE_OPTIONS) {
    if (!options.some((given) => given.split('=')[0] === option)) offend(line, `ENTRYPOINT has no ${option}.`);
  }
  if (command.length === 0) offend(line, 'CMD names no program.');
  for (const label of LABELS) if (!labels[label]) offend(line, `LABEL ${label} is missing.`);
  return offences;
}

/** @throws NotUnderstood */
export function settingsOf(
  { instructions }: Stage,
  given: Readonly<Record<string, string>>,
  global: Readonly<Record<string, string>>,
): ImageSettings {
  const args: Record<string, string> = {};
  const env: Record<string, string> = {};
  const labels: Record<string, string> = {};
  const settings = { entrypoint: [] as string[], command: [] as string[], user: '0:0' };
  for (const instruction of instructions) {
    const { name, text } = instruction;
    const variables = { ...args, ...env };
    if (name === 'ARG') Object.assign(args, argumentOf(instruction, given, global));
    if (name === 'ENV') Object.assign(env, pairsOf(instruction, variables));
    if (name === 'LABEL') Object.assign(labels, pairsOf(instruction, variables));
    if (name === 'ENTRYPOINT') settings.entrypoint = listOf(instruction);
    if (name === 'CMD') settings.command = listOf(instruction);
    if (name === 'USER') settings.user = text;
  }
  return { env, labels, ...settings };
}
