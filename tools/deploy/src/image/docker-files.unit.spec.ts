import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, secretSettings, settingsOf } from '@evenkeel/platform/config';
import { ownNodeOptions } from '@evenkeel/services';
import { parse } from 'yaml';
import { SERVICE_CONFIGS } from '../service-configs';

const DOCKER = join(__dirname, '../../../../docker');

interface Service {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  networks?: string[];
  volumes?: string[];
  mem_limit?: string;
  pids_limit?: number;
  restart?: string;
  profiles?: string[];
  healthcheck?: object;
  depends_on?: Record<string, { condition: string }>;
}

const { services, networks } = parse(readFileSync(join(DOCKER, 'compose.yaml'), 'utf8'), {
  merge: true,
  maxAliasCount: -1,
}) as { services: Record<string, Service>; networks: Record<string, { internal?: boolean }> };
const all = Object.entries(services);
const ownerOf = (name: string): string => name.replace(/-(worker|migrate|events)$/, '');
const ours = all.filter(([name, { profiles }]) => SERVICE_CONFIGS.has(ownerOf(name)) && !profiles);

let secrets: string;
beforeAll(() => {
  secrets = mkdtempSync(join(tmpdir(), 'evenkeel-secrets-'));
  makeSecrets();
});
afterAll(() => rmSync(secrets, { recursive: true }));
const makeSecrets = () => execFileSync('sh', [join(DOCKER, 'secrets.sh'), secrets], { encoding: 'utf8' });

it('an image has no shell, gets one folder and starts Node as a user without rights', () => {
  const dockerfile = readFileSync(join(DOCKER, 'Dockerfile'), 'utf8');
  const last = dockerfile.slice(dockerfile.indexOf('FROM ${RUN_IMAGE}'));
  expect(dockerfile).toMatch(/^ARG RUN_IMAGE=\S*distroless\/(?!\S*debug)\S+:\S+$/m);
  expect(last.match(/^(RUN|ADD|COPY) .*/gm)).toEqual(['COPY --from=packages /build/image /app']);
  expect(last).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
  expect(dockerfile).toContain('npm ci --omit=dev');
  expect(dockerfile).not.toMatch(/^(ENV|ARG) .*(SECRET|TOKEN|PASSWORD|_KEYS?)=/m);
});

it.each(all)('%s of compose has a version, no rights, limits, and waits for what it needs', (_name, service) => {
  expect(service.image).toMatch(/^\S+:(?!latest)\S+$/);
  expect(service).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
  expect([service.mem_limit, service.pids_limit]).toEqual([expect.any(String), expect.any(Number)]);
  for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
    const isJob = services[other]!.restart === 'on-failure';
    expect(condition).toBe(isJob ? 'service_completed_successfully' : 'service_healthy');
    expect([other, isJob || services[other]!.healthcheck !== undefined]).toEqual([other, true]);
  }
});

it('compose is reached by the edge alone, from this machine alone, and has no way out', () => {
  const outside = all.filter(([, { networks: own = [] }]) => own.some((name) => !networks[name]?.internal));
  expect(outside.map(([name]) => name)).toEqual(['edge']);
  expect(all.flatMap(([, { ports = [] }]) => ports)).toEqual(['127.0.0.1:8080:8080']);
});

it.each(ours)('%s has all settings that it needs, its own secrets, and its options of Node', (name, service) => {
  const app = ownerOf(name);
  const config = SERVICE_CONFIGS.get(app)!;
  const declared = settingsOf(config).map((setting) => setting.name);
  const written = Object.entries(service.environment ?? {});
  const names = written.map(([variable]) => variable.replace(/_FILE$/, ''));
  expect(names.filter((one) => !declared.includes(one))).toEqual([]);
  expect(written.filter(([variable, value]) => secretSettings(config).includes(variable) && /@/.test(value))).toEqual(
    [],
  );
  expect(service.volumes).toEqual([`secrets-${app}:/run/secrets:ro`]);
  const moved = written.map(([variable, value]) => [variable, value.replace('/run/secrets', join(secrets, app))]);
  const environment = Object.fromEntries(moved) as Record<string, string>;
  expect(() => loadConfig(config, { NODE_ENV: 'production', ...environment })).not.toThrow();
  expect(service.command!.slice(0, -1)).toEqual(name === app ? ownNodeOptions(app) : []);
});

it('images.sh takes no option for a registry, and says how it is called', () => {
  const { status, stdout, stderr } = spawnSync('sh', [join(DOCKER, 'images.sh'), '--help'], { encoding: 'utf8' });
  expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining('sh docker/images.sh [prefix] [tag]')]);
});

it('secrets.sh leaves what it has made, and makes a database for each service that no other may enter', () => {
  const token = () => readFileSync(join(secrets, 'reporting/admin-token'), 'utf8');
  const before = token();
  expect(makeSecrets()).toContain('are there');
  expect(token()).toBe(before);
  const statements = readFileSync(join(secrets, 'postgres/databases.sql'), 'utf8');
  for (const app of SERVICE_CONFIGS.keys())
    expect(statements).toContain(`REVOKE CONNECT ON DATABASE ${app.replaceAll('-', '_')} FROM PUBLIC;`);
});
