import { readFileSync } from 'node:fs';
import { APP_NAMES, ROUTES } from '@evenkeel/contracts';
import { COMPOSE_FILE, composeEdge } from './compose-edge';
import { edgeConfiguration, type EdgeOptions } from './edge-configuration';

const server = { host: '10.0.0.1', port: 3000, internalPort: 9090 };
const servers = Object.fromEntries(APP_NAMES.map((app) => [app, [server]])) as unknown as EdgeOptions['servers'];
const plain = edgeConfiguration({ listen: '*:80', servers });

/** Lines of a section, without their indentation. */
function section(text: string, name: string): string[] {
  const found = text.split('\n\n').find((part) => part.startsWith(`${name}\n`) || part.startsWith(`${name} from`));
  return found!
    .split('\n')
    .slice(1)
    .map((line) => line.trim());
}

it('the file of compose is what the routes make it: npm run edge:write', () => {
  expect(readFileSync(COMPOSE_FILE, 'utf8')).toBe(composeEdge());
});

it('names every prefix of the route table, the longest last', () => {
  const prefixes = [...plain.matchAll(/str\(([\w-]+)\) if \{ path (\S+) \}/g)].map(([, app, prefix]) => ({
    app,
    prefix: prefix!,
  }));
  const stated = ROUTES.flatMap(({ app, prefixes: owned }) => owned.map((prefix) => ({ app, prefix })));
  const hidden = ['/', '/dev/mails'];
  expect(new Set(prefixes)).toEqual(new Set(stated.filter(({ prefix }) => !hidden.includes(prefix))));
  expect(prefixes.map(({ prefix }) => prefix.length)).toEqual(
    prefixes.map(({ prefix }) => prefix.length).sort((a, b) => a - b),
  );
});

it('repeats what was sent only where nothing changes by it', () => {
  expect(section(plain, 'defaults reads')).toContain('retry-on conn-failure empty-response');
  expect(section(plain, 'defaults writes')).toContain('retry-on conn-failure');
  expect(plain.match(/retry-on .*/g)).toHaveLength(2);
});

it('waits as long as the services do for a client, and no longer', () => {
  const waits = section(plain, 'defaults base').filter((line) => /^timeout (http-request|client)/.test(line));
  expect(waits).toEqual(['timeout http-request 10s', 'timeout client 15s']);
});

it('has a socket for commands only where one is named', () => {
  expect(plain).not.toContain('stats socket');
  const open = edgeConfiguration({ listen: '*:80', servers, controlSocket: '/run/edge.sock' });
  expect(section(open, 'global')).toContain('stats socket /run/edge.sock level admin');
});

it('follows a name with several addresses', () => {
  const many = [{ ...server, host: 'billing', replicas: 3 }];
  const named = edgeConfiguration({ listen: '*:80', servers: { ...servers, billing: many }, resolver: '10.0.0.53:53' });
  expect(section(named, 'backend billing_writes')).toContain(
    'server-template billing- 3 billing:3000 port 9090 resolvers names init-addr none',
  );
  expect(section(named, 'backend accounts_reads')).toContain('server accounts-1 10.0.0.1:3000 port 9090');
});

it('asks those who are not ready only when nobody is', () => {
  const backends = edgeConfiguration({ listen: '*:80', servers });
  expect(section(backends, 'backend accounts_reads').slice(-2)).toEqual([
    'option allbackups',
    'server accounts-unready-1 10.0.0.1:3000 no-check backup',
  ]);
});
