import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ACCOUNTS } from '@evenkeel/accounts';
import { AGENT_GATEWAY } from '@evenkeel/agent-gateway';
import { BILLING } from '@evenkeel/billing';
import { type Environment, loadConfig, secretSettings, ServiceConfig } from '@evenkeel/platform/config';
import { REPORTING } from '@evenkeel/reporting';
import { ownNodeOptions } from '@evenkeel/services';
import { DevelopmentStripe } from '@evenkeel/stripe';
import type { ClassConstructor } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';
import { Client } from 'pg';
import { stagesOf } from '../performing/dockerfile';
import { readCompose } from './compose';
import { offencesIn, ownerOf, type Surroundings } from './compose-rules';

const ROOT = join(__dirname, '../../../../..');
const FILE = readFileSync(join(ROOT, 'docker/compose.yaml'), 'utf8');
const COMPOSE = readCompose(FILE);
const CONFIGS: ReadonlyMap<string, ClassConstructor<ServiceConfig>> = new Map<string, ClassConstructor<ServiceConfig>>(
  [AGENT_GATEWAY, ACCOUNTS, BILLING, REPORTING].map(({ name, config }) => [name, config]),
);

let secrets: string;
let around: Surroundings;
beforeAll(() => {
  secrets = mkdtempSync(join(tmpdir(), 'evenkeel-secrets-'));
  makeSecrets();
  around = {
    stages: stagesOf(readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8')).map(({ name }) => name),
    exists: (path) => existsSync(join(ROOT, path)),
    settings: new Map([...CONFIGS].map(([name, config]) => [name, settingsOf(config)])),
    nodeOptions: (service) => (CONFIGS.has(service) ? ownNodeOptions(service) : []),
    secrets: new Map(readdirSync(secrets).map((folder) => [folder, readdirSync(join(secrets, folder))])),
  };
});
afterAll(() => rmSync(secrets, { recursive: true }));

const makeSecrets = (): string => execFileSync('sh', [join(ROOT, 'docker/secrets.sh'), secrets], { encoding: 'utf8' });
const secretOf = (service: string, name: string): string => readFileSync(join(secrets, service, name), 'utf8');

function settingsOf(config: ClassConstructor<ServiceConfig>) {
  const declared = getMetadataStorage().getTargetValidationMetadatas(config, '', false, false);
  const names = new Set(declared.map(({ propertyName }) => propertyName));
  return { names, secret: new Set(secretSettings(config)), port: new config().PORT };
}

/** And no command of operators, which reads fewer settings. */
function isService(name: string): boolean {
  return CONFIGS.has(ownerOf(name)) && !COMPOSE.services.get(name)!.isOnRequest;
}

/** The environment of a service in a container of it, which the image adds to; secrets lie elsewhere here. */
function environmentOf(service: string): Environment {
  const written = Object.entries(COMPOSE.services.get(service)!.environment);
  const moved = written.map(([name, value]) => [name, value.replace('/run/secrets', join(secrets, ownerOf(service)))]);
  return { NODE_ENV: 'production', INTERNAL_HOST: '0.0.0.0', ...Object.fromEntries(moved) } as Environment;
}

describe('compose.yaml', () => {
  it('is as the rules have it', () => expect(offencesIn(COMPOSE, around)).toEqual([]));

  it.each([
    ['an image without version', 'redis:8-bookworm', 'redis:latest', 'redis: the image redis:latest has no version'],
    ['a stage that is not there', 'target: run', 'target: final', 'the Dockerfile has no stage final'],
    ['a Dockerfile that is not there', 'docker/Dockerfile', 'Dockerfile', 'there is no Dockerfile'],
    ['a program that is not there', 'command: [worker.js]', 'command: [works.js]', 'has no program works.ts'],
    ['a project that is not there', 'APP: apps/billing', 'APP: apps/bills', 'apps/bills has no program'],
    ['a file system that is written', 'read_only: true', 'read_only: false', 'it may write or gain rights'],
    ['rights that are left', 'cap_drop: [ALL]', 'cap_drop: []', 'it may write or gain rights'],
    [
      'another beginning than the image has',
      '    command: [events/create-topics/main.js]',
      '    entrypoint: [/nodejs/bin/node]\n    command: [events/create-topics/main.js]',
      'topics: it has an entrypoint of its own',
    ],
    [
      'options of Node in a second place',
      'SMTP_URL: none',
      'SMTP_URL: none\n    NODE_OPTIONS: --max-semi-space-size=8',
      'accounts: it has no setting NODE_OPTIONS',
    ],
    [
      'options that the service does not have',
      'command: [--heap-growing-percent=30, --no-memory-reducer, --no-parallel-scavenge, main.js]',
      'command: [main.js]',
      'billing: before main.js must be --heap-growing-percent=30 --no-memory-reducer --no-parallel-scavenge',
    ],
    [
      'options of its main before a worker',
      '<<: *billing\n    command: [worker.js]',
      '<<: *billing\n    command: [--no-parallel-scavenge, worker.js]',
      'billing-worker: before worker.js must be nothing',
    ],
    [
      'an order after what only operators start',
      'topics: { condition: service_completed_successfully }',
      'accounts-events: { condition: service_completed_successfully }',
      'it waits for accounts-events, which only operators start',
    ],
    ['an order after nobody', '      stripe: {', '      strip: {', 'it waits for strip, which is not there'],
    [
      'a job that is never healthy',
      'topics: { condition: service_completed_successfully }',
      'topics: { condition: service_healthy }',
      'topics never becomes service_healthy',
    ],
    [
      'a server that never ends',
      'redis: { condition: service_healthy }',
      'redis: { condition: service_completed_successfully }',
      'redis never becomes service_completed',
    ],
    [
      'a start that is no readiness',
      'redis: { condition: service_healthy }',
      'redis: { condition: service_started }',
      'it does not wait until redis',
    ],
    [
      'a service without health check',
      '    healthcheck: *worker-health\n',
      '',
      'billing-worker: it has no health check',
    ],
    [
      'a second way in',
      'networks: [inside]\n    command: [redis',
      "networks: [inside]\n    ports: ['127.0.0.1:6379:6379']\n    command: [redis",
      'only the edge is reached',
    ],
    ['a way out', 'inside: { internal: true }', 'inside: {}', 'only the edge is reached'],
    ['a port for everybody', "'127.0.0.1:8080:8080'", "'8080:8080'", 'published to other machines'],
    ['a network that is not there', 'networks: [inside, outside]', 'networks: [inside, out]', 'there is no out'],
    ['a file that is not there', './secrets.sh', './secret.sh', 'there is no ./secret.sh'],
    ['a volume that is not declared', '\n  kafka: {}', '', 'there is no kafka'],
    ['a volume that nobody mounts', '\n  kafka: {}', '\n  kafka: {}\n  more: {}', 'volume more: nobody mounts it'],
    [
      'secrets of another',
      "'secrets-billing:/run/secrets:ro'",
      "'secrets-accounts:/run/secrets:ro'",
      'it reads the secrets of another',
    ],
    [
      'secrets that are written',
      "'secrets-billing:/run/secrets:ro'",
      "'secrets-billing:/run/secrets'",
      'it may write its secrets',
    ],
    ['a setting that is not there', 'SMTP_URL: none', 'SMPT_URL: none', 'it has no setting SMPT_URL'],
    [
      'a file of a setting that is not there',
      'ADMIN_TOKEN_FILE',
      'ADMIN_TOKENS_FILE',
      'it has no setting ADMIN_TOKENS_FILE',
    ],
    [
      'a secret in the file',
      'ADMIN_TOKEN_FILE: /run/secrets/admin-token',
      'ADMIN_TOKEN: 0123456789abcdef01234567',
      'ADMIN_TOKEN is a secret',
    ],
    [
      'a password of a server in the file',
      'POSTGRES_PASSWORD_FILE: /run/secrets/password',
      'POSTGRES_PASSWORD: password',
      'POSTGRES_PASSWORD is a secret',
    ],
    ['a secret that is not made', 'secrets/admin-token', 'secrets/admin', 'a file that secrets.sh does not make'],
    ['a neighbour that is not there', 'kafka:9092', 'kafkas:9092', 'nobody on the network is called kafkas'],
    [
      'a port where nobody listens',
      'http://accounts:3001',
      'http://accounts:3000',
      'accounts listens on 3001, not 3000',
    ],
    ['a port of a tool where nobody listens', "'12111'", "'12112'", 'stripe listens on 12112, not 12111'],
  ])('is refused with %s', (_what, written, instead, sentence) => {
    expect(FILE).toContain(written);
    const compose = readCompose(FILE.replaceAll(written, instead));
    expect(offencesIn(compose, around).join('\n')).toContain(sentence);
  });

  it('is refused with what is not known here', () => {
    expect(() => readCompose(FILE.replace('read_only:', 'privileged: true\n  read_only:'))).toThrow('privileged of');
  });

  it.each([...COMPOSE.services.keys()].filter((name) => isService(name)))('starts %s with all it needs', (name) => {
    expect(() => loadConfig(CONFIGS.get(ownerOf(name))!, environmentOf(name))).not.toThrow();
  });

  it.each(['ANSWER_KEYS_FILE', 'JWT_KEYS_FILE', 'DATABASE_URL_FILE'])('would not start without %s', (variable) => {
    const attempts = [...CONFIGS].map(([name, config]) => () => {
      const { [variable]: _left, ...env } = environmentOf(name);
      return loadConfig(config, env);
    });
    expect(() => attempts.forEach((attempt) => attempt())).toThrow(variable.replace('_FILE', ''));
  });

  it('gives billing what the development Stripe takes', async () => {
    const stripe = await DevelopmentStripe.start();
    try {
      const { STRIPE_API_BASE: _own, ...settings } = stripe.settings();
      expect(loadConfig(BILLING.config, environmentOf('billing'))).toMatchObject(settings);
    } finally {
      await stripe.close();
    }
  });
});

describe('secrets.sh', () => {
  it('leaves what it has made', () => {
    const before = secretOf('reporting', 'admin-token');
    expect(makeSecrets()).toContain('are there');
    expect(secretOf('reporting', 'admin-token')).toBe(before);
  });

  it('makes other secrets elsewhere', () => {
    const before = secretOf('accounts', 'jwt-keys');
    rmSync(join(secrets, 'postgres/complete'));
    expect(makeSecrets()).toContain('are made');
    expect(secretOf('accounts', 'jwt-keys')).not.toBe(before);
  });

  it('makes databases that each service alone enters', async () => {
    const server = new URL(process.env.TEST_DATABASE_URL!);
    const admin = new Client({ connectionString: server.href });
    await admin.connect();
    // On a server that others use too the names are other ones.
    const own = (text: string) => text.replace(/\b(agent_gateway|accounts|billing|reporting)\b/g, `$1_${process.pid}`);
    const statements = own(secretOf('postgres', 'databases.sql')).trim().split('\n');
    try {
      for (const statement of statements) await admin.query(statement);
      const enter = async (service: string, database: string) => {
        const address = new URL(own(secretOf(service, 'database-url')));
        Object.assign(address, { host: server.host, pathname: `/${own(database)}` });
        const client = new Client({ connectionString: address.href });
        await client.connect();
        await client.query('CREATE TABLE entered (id int)').finally(() => client.end());
      };
      for (const service of CONFIGS.keys()) await enter(service, service.replace('-', '_'));
      await expect(enter('billing', 'accounts')).rejects.toThrow('permission denied for database');
    } finally {
      const names = [...CONFIGS.keys()].map((name) => own(name.replace('-', '_')));
      for (const name of names) await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      for (const name of names) await admin.query(`DROP ROLE IF EXISTS ${name}`);
      await admin.end();
    }
  });
});
