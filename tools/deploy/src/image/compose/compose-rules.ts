import type { Compose, ComposeService } from './compose';

/** What the rules compare the file with. */
export interface Surroundings {
  /** Names of the stages of the Dockerfile. */
  stages: readonly string[];
  /** Whether a file or folder is there, from the root of the workspace. */
  exists: (path: string) => boolean;
  /** By service of ours: names of its settings, those that are secret, and its port. */
  settings: ReadonlyMap<string, { names: ReadonlySet<string>; secret: ReadonlySet<string>; port?: number }>;
  /** Options of Node that a service has beside those of every image where it serves HTTP. */
  nodeOptions: (service: string) => readonly string[];
  /** By folder: the files that secrets.sh makes. */
  secrets: ReadonlyMap<string, readonly string[]>;
}

const CONDITIONS = ['service_healthy', 'service_completed_successfully'];
const SECRETS_FOLDER = '/run/secrets/';
const SERVER_PORTS: Readonly<Record<string, number>> = { postgres: 5432, redis: 6379, kafka: 9092 };
const ADDRESS = /(?:\/\/|@|^)([a-z][a-z-]*):(\d{2,5})\b/g;

/** What is wrong in the file, a sentence for each. */
export function offencesIn(compose: Compose, around: Surroundings): string[] {
  const all = [...compose.services.values()];
  const ofAll = all.flatMap((service) => [
    ...imageOffences(service, around),
    ...orderOffences(service, compose),
    ...placeOffences(service, compose, around),
    ...settingOffences(service, around),
    ...addressOffences(service, compose, around),
  ]);
  const mounted = new Set(all.flatMap(({ mounts }) => mounts.map(({ source }) => source)));
  const unused = compose.volumes.filter((volume) => !mounted.has(volume));
  return [...ofAll, ...unused.map((volume) => `volume ${volume}: nobody mounts it.`)];
}

function imageOffences(service: ComposeService, around: Surroundings): string[] {
  const { name, image, build, command, startsAsImage, isLockedDown } = service;
  const offences: string[] = [];
  if (!build) {
    if (!hasVersion(image)) offences.push(`${name}: the image ${image} has no version.`);
    return offences;
  }
  const { APP: project } = build.args;
  if (!around.exists(build.dockerfile) || build.context !== '..')
    offences.push(`${name}: there is no ${build.dockerfile}.`);
  if (!around.stages.includes(build.target)) offences.push(`${name}: the Dockerfile has no stage ${build.target}.`);
  const place = command.findIndex((part) => part.endsWith('.js'));
  const options = command.slice(0, Math.max(0, place));
  const program = (command[options.length] ?? 'main.js').replace(/\.js$/, '.ts');
  if (!around.exists(`${project}/src/${program}`)) offences.push(`${name}: ${project} has no program ${program}.`);
  const wanted = program === 'main.ts' ? around.nodeOptions(ownerOf(name)) : [];
  if (options.join(' ') !== wanted.join(' '))
    offences.push(`${name}: before ${command[options.length]} must be ${wanted.join(' ') || 'nothing'}.`);
  if (!startsAsImage)
    offences.push(`${name}: it has an entrypoint of its own, without the options of Node in its image.`);
  if (!isLockedDown)
    offences.push(`${name}: it may write or gain rights: read_only, tmpfs, cap_drop, no-new-privileges.`);
  return offences;
}

function orderOffences({ name, dependsOn, isJob, isHealthChecked }: ComposeService, { services }: Compose): string[] {
  const offences = Object.entries(dependsOn).flatMap(([other, condition]) => {
    const awaited = services.get(other);
    if (!awaited) return [`${name}: it waits for ${other}, which is not there.`];
    if (!CONDITIONS.includes(condition)) return [`${name}: it does not wait until ${other} is healthy or done.`];
    if (awaited.isOnRequest) return [`${name}: it waits for ${other}, which only operators start.`];
    if ((condition === 'service_healthy') === awaited.isJob) return [`${name}: ${other} never becomes ${condition}.`];
    return [];
  });
  return isJob || isHealthChecked ? offences : [...offences, `${name}: it has no health check.`];
}

function placeOffences(service: ComposeService, { volumes, networks }: Compose, around: Surroundings): string[] {
  const { name, mounts, ports, networks: own } = service;
  const offences = own.filter((network) => !networks.has(network)).map((network) => `${name}: there is no ${network}.`);
  const hasWayOut = own.some((network) => networks.get(network) === false);
  if (name !== 'edge' && (ports.length > 0 || hasWayOut))
    offences.push(`${name}: only the edge is reached from outside.`);
  if (ports.some((port) => !port.startsWith('127.0.0.1:')))
    offences.push(`${name}: it is published to other machines.`);
  for (const { source, target, isReadOnly } of mounts) {
    const isThere = source.startsWith('.') ? around.exists(`docker/${source.slice(2)}`) : volumes.includes(source);
    if (!isThere) offences.push(`${name}: there is no ${source}.`);
    if (target.startsWith('/run/secrets') && !isReadOnly) offences.push(`${name}: it may write its secrets.`);
    if (target.startsWith('/run/secrets') && source !== `secrets-${ownerOf(name)}`) {
      offences.push(`${name}: it reads the secrets of another, ${source}.`);
    }
  }
  return offences;
}

/** `billing-worker`, `billing-migrate` and `billing-events` are programs of `billing`. */
export const ownerOf = (name: string): string => name.replace(/-(worker|migrate|doctor|events|operation)$/, '');

function settingOffences({ name, environment, mounts }: ComposeService, around: Surroundings): string[] {
  const settings = around.settings.get(ownerOf(name));
  const files = around.secrets.get(ownerOf(name)) ?? [];
  return Object.entries(environment).flatMap(([variable, value]) => {
    const setting = variable.replace(/_FILE$/, '');
    const isFile = setting !== variable && !settings?.names.has(variable);
    if (settings && !settings.names.has(isFile ? setting : variable))
      return [`${name}: it has no setting ${variable}.`];
    if (isFile) {
      const isMade = value.startsWith(SECRETS_FOLDER) && files.includes(value.slice(SECRETS_FOLDER.length));
      return isMade && mounts.length > 0 ? [] : [`${name}: ${variable} names a file that secrets.sh does not make.`];
    }
    const isSecret = settings?.secret.has(variable) ?? /PASSWORD|SECRET|TOKEN|_KEYS?$/.test(variable);
    const isPlain = value === 'none' || /^http:\/\/[a-z-]+:\d+(\/[a-z]*)?$/.test(value);
    return isSecret && !isPlain ? [`${name}: ${variable} is a secret: give it as ${variable}_FILE.`] : [];
  });
}

function addressOffences({ name, environment, command }: ComposeService, { services }: Compose, around: Surroundings) {
  const texts = [...Object.values(environment), ...command].filter((text) => !text.includes('://:'));
  const addresses = texts.flatMap((text) => [...text.matchAll(ADDRESS)]);
  return addresses.flatMap(([, host = '', port]) => {
    if (host === 'localhost' || host === name) return [];
    const other = services.get(host);
    if (!other) return [`${name}: nobody on the network is called ${host}.`];
    const expected = portOf(other, around);
    return expected === undefined || String(expected) === port
      ? []
      : [`${name}: ${host} listens on ${expected}, not ${port}.`];
  });
}

function portOf({ name, environment, command }: ComposeService, { settings }: Surroundings): number | undefined {
  const option = command[command.indexOf('--port') + 1];
  const variable = environment.PORT ?? environment.FACILITATOR_PORT;
  if (command.includes('--port')) return Number(option);
  return variable === undefined ? (SERVER_PORTS[name] ?? settings.get(name)?.port) : Number(variable);
}

/** `node:24-bookworm-slim`, `…/nodejs24-debian12:nonroot` and every digest name one version; `latest` and no tag do not. */
export function hasVersion(image: string): boolean {
  const [, name = '', tag = '', digest] = /^(.*?)(?::([\w.-]+))?(@sha256:[0-9a-f]{64})?$/.exec(image) ?? [];
  if (digest !== undefined) return true;
  return tag !== '' && tag !== 'latest' && /\d/.test(tag + name.slice(name.lastIndexOf('/') + 1));
}
