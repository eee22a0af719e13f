import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export interface ComposeService {
  name: string;
  image: string;
  build?: { context: string; dockerfile: string; target: string; args: { APP: string } };
  /** The command follows what the image begins with: Node and its options. */
  startsAsImage: boolean;
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
  dependsOn: Readonly<Record<string, string>>;
  /** Source and target, and whether it is only read. */
  mounts: readonly { source: string; target: string; isReadOnly: boolean }[];
  ports: readonly string[];
  networks: readonly string[];
  isHealthChecked: boolean;
  /** It ends: others wait for its success. */
  isJob: boolean;
  /** Nothing starts it but a command that names it. */
  isOnRequest: boolean;
  /** Nothing but /tmp is written, and no right is left. */
  isLockedDown: boolean;
}

export interface Compose {
  services: ReadonlyMap<string, ComposeService>;
  volumes: readonly string[];
  /** By name: whether it has no way out. */
  networks: ReadonlyMap<string, boolean>;
}

type Written = Record<string, unknown>;

/** What compose itself knows of a service, as far as our file uses it. */
const KNOWN = new Set([
  ...['image', 'build', 'command', 'entrypoint', 'environment', 'depends_on', 'volumes', 'ports', 'networks', 'tmpfs'],
  ...['healthcheck', 'restart', 'stop_grace_period', 'read_only', 'cap_drop', 'security_opt', 'network_mode'],
  'profiles',
]);

/** @throws Error for a member of a service that is not known here */
export function readCompose(text: string): Compose {
  const { services, volumes, networks } = parse(text, { merge: true }) as Record<string, Record<string, Written>>;
  const named = Object.entries(services!).map(([name, service]) => [name, readService(name, service)] as const);
  const inside = Object.entries(networks!).map(([name, { internal }]) => [name, internal === true] as const);
  return { services: new Map(named), volumes: Object.keys(volumes!), networks: new Map(inside) };
}

function readService(name: string, service: Written): ComposeService {
  const unknown = Object.keys(service).find((member) => !KNOWN.has(member));
  if (unknown) throw new Error(`compose.yaml: ${unknown} of ${name} is not known here.`);
  const list = (member: string): string[] => (service[member] ?? []) as string[];
  const conditions = Object.entries((service.depends_on ?? {}) as Record<string, { condition: string }>);
  const [right] = list('security_opt');
  return {
    name,
    image: String(service.image),
    build: service.build as ComposeService['build'],
    startsAsImage: service.entrypoint === undefined,
    command: list('command'),
    environment: (service.environment ?? {}) as Record<string, string>,
    dependsOn: Object.fromEntries(conditions.map(([other, { condition }]) => [other, condition])),
    mounts: list('volumes').map((volume) => {
      const [source = '', target = '', mode] = volume.split(':');
      return { source, target, isReadOnly: mode === 'ro' };
    }),
    ports: list('ports'),
    networks: list('networks'),
    isHealthChecked: service.healthcheck !== undefined,
    isJob: service.restart === 'on-failure',
    isOnRequest: list('profiles').length > 0,
    isLockedDown:
      service.read_only === true &&
      list('cap_drop').includes('ALL') &&
      right === 'no-new-privileges:true' &&
      list('tmpfs').join() === '/tmp',
  };
}

const ROW = /^\| `[^`]+` +\| `([^`]+)` +\|/gm;

/** A command of operators as compose runs it: a service, and the program with its first words; none where the service has its own. */
export interface OperatorCommand {
  service: string;
  command: readonly string[];
}

/** Those that the page of operators has. @param root of the workspace */
export function operatorCommands(root: string): OperatorCommand[] {
  const page = readFileSync(join(root, 'docs/operations/commands.md'), 'utf8');
  return [...page.matchAll(ROW)].map(([, text]) => {
    const [service, ...command] = text!.split(' ');
    return { service: service!, command };
  });
}
