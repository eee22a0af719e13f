import { BlockList, isIP } from 'node:net';
import type { ClassConstructor } from 'class-transformer';
import type { Environment } from './load-config';
import { settingsOf } from './settings-of';

/** The parameters that ask the server of a setting for TLS. */
const ASK_FOR_TLS: Readonly<Record<string, string>> = {
  DATABASE_URL: 'sslmode=verify-full',
  REDIS_URL: 'rediss://',
  KAFKA_BROKERS: 'KAFKA_TLS=on',
  SMTP_URL: 'smtps:// or requireTLS=true',
};

/** A name without a dot, of a Service, or of a private zone. */
const NAME_WITHIN = /^[\w-]+$|\.(svc|cluster\.local|internal|local)$/;
const MACHINE = networks('127.0.0.0/8', '::1/128');
const WITHIN = networks(
  '10.0.0.0/8',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  'fc00::/7',
  'fe80::/10',
);

function networks(...all: readonly string[]): (address: string) => boolean {
  const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
  const list = new BlockList();
  for (const [address = '', prefix] of all.map((network) => network.split('/'))) {
    list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (address) => list.check(address, familyOf(address));
}

function distanceTo(hostname: string): 'machine' | 'within' | 'public' {
  const host = hostname.replace(/^\[|\]$/g, '');
  const isAddress = isIP(host) !== 0;
  if (host === '' || host === 'localhost' || (isAddress && MACHINE(host))) return 'machine';
  return (isAddress ? WITHIN(host) : NAME_WITHIN.test(host)) ? 'within' : 'public';
}

/** Hosts that a setting reaches without TLS. */
function plainHosts(name: string, set: Environment): string[] {
  const value = set[name] ?? '';
  if (name === 'KAFKA_BROKERS') {
    return set['KAFKA_TLS'] === 'on' ? [] : value.split(',').map((broker) => broker.replace(/:\d+$/, ''));
  }
  if (!URL.canParse(value)) return [];
  const { protocol, hostname, searchParams } = new URL(value);
  const isEncrypted =
    ['rediss:', 'smtps:'].includes(protocol) ||
    ['require', 'verify-ca', 'verify-full'].includes(searchParams.get('sslmode') ?? '') ||
    ['ssl', 'requireTLS'].some((option) => searchParams.get(option) === 'true');
  return isEncrypted ? [] : [hostname];
}

/**
 * Settings of production that send passwords and data as plain text.
 * @param set texts of the settings
 * @returns sentences: what goes over public networks, which is refused, and what stays within the cluster
 */
export function plainTextIn(type: ClassConstructor<object>, set: Environment): { refused: string[]; within: string[] } {
  const found = { refused: [] as string[], within: [] as string[] };
  if (set['NODE_ENV'] !== 'production') return found;
  for (const { name } of settingsOf(type)) {
    const remedy = ASK_FOR_TLS[name];
    const distances = remedy === undefined ? [] : plainHosts(name, set).map(distanceTo);
    if (distances.includes('public')) {
      found.refused.push(`${name} must not reach a public address as plain text when NODE_ENV=production: ${remedy}`);
    } else if (distances.includes('within')) {
      const otherwise = 'or MESH_TLS=on where a mesh encrypts between pods';
      found.within.push(`${name} is plain text within the cluster: ${remedy}, ${otherwise}`);
    }
  }
  return found;
}
