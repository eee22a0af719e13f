import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterState } from '../../cluster';
import { BadUsage } from '@evenkeel/platform/command-line';
import { loadConfig } from '@evenkeel/platform/config';
import { LoadConfig } from '../load.config';
import { type Asked, findTarget } from './find-target';

const state: ClusterState = {
  url: 'http://127.0.0.1:8080',
  ...{ facilitatorUrl: 'http://127.0.0.1:1', stripeUrl: 'http://127.0.0.1:2', socket: '/nowhere' },
  ...{ stripeKey: 'sk_test_a', webhookSecret: 'whsec_a', adminToken: 'word' },
  databases: { 'agent-gateway': 'postgres://localhost/gateway' },
  processes: [{ name: 'billing-1', app: 'billing', kind: 'http', internalUrl: 'http://127.0.0.1:3' }],
};
const everything: Asked = { kinds: ['discovery', 'challenge', 'credit', 'login', 'webhook'], ownsAddress: false };

let DATA_DIR: string;
beforeEach(() => (DATA_DIR = mkdtempSync(join(tmpdir(), 'evenkeel-load-'))));
afterEach(() => rmSync(DATA_DIR, { recursive: true }));

function found(asked: Partial<Asked>, env: Record<string, string> = {}) {
  return findTarget({ ...everything, ...asked }, loadConfig(LoadConfig, { DATA_DIR, ...env }));
}

it('takes everything from the running cluster', () => {
  mkdirSync(DATA_DIR, { recursive: true });
  writeFileSync(join(DATA_DIR, 'cluster.json'), JSON.stringify(state));
  const { url, stripeUrl, stripeKey, webhookSecret, adminToken } = state;
  const targets = { url, stripeUrl, stripeKey, webhookSecret, adminToken };
  const gatewayDatabase = 'postgres://localhost/gateway';
  expect(found({})).toEqual({ targets, gatewayDatabase, processes: state.processes });
  expect(found({ url: 'http://127.0.0.1:8080/' }).processes).toHaveLength(1);
  expect(found({ metrics: ['http://127.0.0.1:9090/'] }).processes).toEqual([
    { name: '127.0.0.1:9090', internalUrl: 'http://127.0.0.1:9090' },
  ]);
  expect(() => found({ url: 'http://127.0.0.1:9999' })).toThrow(BadUsage);
});

it('says what is missing where no cluster runs, and what goes without it', () => {
  expect(() => found({})).toThrow(
    new BadUsage(
      'No cluster is known at this address, and credit needs GATEWAY_DATABASE_URL, and webhook needs STRIPE_API_BASE, ' +
        'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET. Start one with "npm run cluster". ' +
        'Without: --only discovery --only challenge --only login',
    ),
  );
  const env = {
    ...{ GATEWAY_DATABASE_URL: 'postgres://localhost/gateway', STRIPE_API_BASE: 'http://127.0.0.1:2' },
    ...{ STRIPE_SECRET_KEY: 'sk_test_a', STRIPE_WEBHOOK_SECRET: 'whsec_a' },
  };
  expect(found({}, env)).toMatchObject({
    targets: { url: 'http://localhost:8080', stripeKey: 'sk_test_a' },
    processes: [],
  });
});

it.each(['http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:8080'])('%s is of this machine', (url) => {
  expect(found({ url, kinds: ['discovery'] }).targets.url).toBe(url);
});

it.each(['http://10.0.0.7:8080', 'https://api.example.com', 'http://127.0.0.1.example.com', 'http://billing'])(
  '%s is refused, unless somebody owns it',
  (url) => {
    expect(() => found({ url, kinds: ['discovery'] })).toThrow(/ is not this machine, .* add --i-own-this-address$/);
    expect(found({ url, kinds: ['discovery'], ownsAddress: true }).targets.url).toBe(url);
  },
);

it('does not run in production', () => {
  expect(() => found({}, { NODE_ENV: 'production' })).toThrow(/NODE_ENV must not be production/);
});
