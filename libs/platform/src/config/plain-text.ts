import { BlockList, isIP } from 'node:net';
import type { Environment } from './load-config';

/** The parameters that ask the server of a setting for TLS. */
const ASK_FOR_TLS: Readonly<Record<string, string>> = {
  DATABASE_URL: 'sslmode=verify-full',
  REDIS_URL: 'rediss://',
  KAFKA_BROKERS: 'KAFKA_TLS=on',
  SMTP_URL: 'smtps:// or requireTLS=true',
};
const ENCRYPTED_MODES = ['require', 'verify-ca', 'verify-full'];

/** A name without a dot, of a Service, or of a private zone. */
const NAME_WITHIN = /^[\w-]+$|\.(svc|cluster\.local|internal|local)$/;
const MACHINE = new BlockList();
MACHINE.addSubnet('127.0.0.0', 8);
MACHINE.addAddress('::1', 'ipv6');
const WITHIN = new BlockList();
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  WITHIN.addSubnet(network, prefix);
WITHIN.addSubnet('fc00::', 7, 'ipv6');
WITHIN.addSubnet('fe80::', 10, 'ipv6');

type Distance = 'machine' | 'within' | 'public';

function distanceTo(hostname: string): Distance {
  const host = hostname.replace(/^\[|\]$/g, '');
  const version = isIP(host);
  if (version === 0) {
    if (host === '' || host === 'localhost') return 'machine';
    return NAME_WITHIN.test(host) ? 'within' : 'public';
  }
  const family = version === 6 ? 'ipv6' : 'ipv4';
  if (MACHINE.check(host, family)) return 'machine';
  return WITHIN.check(host, family) ? 'within' : 'public';
}

/** Hosts that a setting reaches without TLS. */
function plainHosts(name: string, set: Environment): string[] {
  const value = set[name] ?? '';
  if (name === 'KAFKA_BROKERS') {
    const hosts = value.split(',').map((broker) => broker.replace(/:\d+$/, ''));
    return set['KAFKA_TLS'] === 'on' ? [] : hosts;
  }
  if (!URL.canParse(value)) return [];
  const { protocol, hostname, searchParams } = new URL(value);
  const isEncrypted =
    ['rediss:', 'smtps:'].includes(protocol) ||
    ENCRYPTED_MODES.includes(searchParams.get('sslmode') ?? '') ||
    ['ssl', 'requireTLS'].some((option) => searchParams.get(option) === 'true');
  return isEncrypted ? [] : [hostname];
}

/**
 * Settings of production that send passwords and data as plain text.
 * @param set texts of the settings
 * @param names those that a process has
 * @returns sentences: what goes over public networks, which is refused, and what stays within the cluster
 */
export function plainTextIn(set: Environment, names: readonly string[]): { refused: string[]; within: string[] } {
  if (set['NODE_ENV'] !== 'production') return { refused: [], within: [] };
  const found = names
    .filter((name) => set[name] && name in ASK_FOR_TLS)
    .map((name) => ({ name, distances: plainHosts(name, set).map(distanceTo) }));
  const refused = found.filter(({ distances }) => distances.includes('public'));
  const within = found.filter((one) => !refused.includes(one) && one.distances.includes('within'));
  return {
    refused: refused.map(
      ({ name }) =>
        `${name} must not reach a public address as plain text when NODE_ENV=production: ${ASK_FOR_TLS[name]}`,
    ),
    within: within.map(
      ({ name }) =>
        `${name} is plain text within the cluster: ${ASK_FOR_TLS[name]}, or MESH_TLS=on where a mesh encrypts between pods`,
    ),
  };
}
