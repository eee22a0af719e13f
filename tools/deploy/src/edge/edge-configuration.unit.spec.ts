import { readFileSync } from 'node:fs';
import { APP_NAMES, ROUTES } from '@evenkeel/contracts';
import { WRITTEN_EDGES } from './written-edges';
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

it.each(Object.entries(WRITTEN_EDGES))('%s is what the routes make it: npm run edge:write', (file, made) => {
  expect(readFileSync(file, 'utf8')).toBe(made());
});

it('says the address of the connection where clients connect to it themselves', () => {
  expect(plain).toContain('http-request set-header X-Forwarded-For %[src]');
  expect(plain).not.toContain('hdr_ip(x-forwarded-for');
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
  const named = edgeConfiguration({
    listen: '*:80',
    servers: { ...servers, billing: many },
    resolver: 'nameserver a 10.0.0.53:53',
  });
  expect(section(named, 'backend billing_writes')).toContain(
    'server-template billing- 3 billing:3000 port 9090 resolvers names init-addr none',
  );
  expect(section(named, 'backend accounts_reads')).toContain('server accounts-1 10.0.0.1:3000 port 9090');
});

it('asks those who are not ready only when nobody is', () => {
  const backends = edgeConfiguration({ listen: '*:80', servers });
  expect(section(backends, 'backend accounts_reads').at(-1)).toBe('server accounts-1 10.0.0.1:3000 port 9090');
  expect(section(backends, 'backend accounts_reads_unready').at(-1)).toBe('server accounts-1 10.0.0.1:3000 no-check');
  expect(section(backends, 'frontend inner')).toContain(
    'use_backend accounts_reads_unready if { so_name accounts_reads } { nbsrv(accounts_reads) eq 0 }',
  );
});
