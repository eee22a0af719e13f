import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hasVersion } from '../compose/compose-rules';
import { contextFiles } from './build-context';
import { settingsOf, stagesOf } from './dockerfile';

const ROOT = join(__dirname, '../../../../..');
const FILE = readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8');

describe('the Dockerfile', () => {
  const stages = stagesOf(FILE);
  const last = stages.at(-1)!;
  const texts = (name: string): string[] =>
    stages.flatMap(({ instructions }) => instructions.filter(([one]) => one === name).map(([, text]) => text));

  it('stands on images of one version, the last one without a shell', () => {
    const images = [...FILE.matchAll(/^ARG (\w+_IMAGE)=(\S+)$/gm)].map(([, , image]) => image!);
    expect(images.map(hasVersion)).toEqual([true, true]);
    expect(stages.map(({ base }) => base)).toEqual(['${BUILD_IMAGE}', 'build', 'scratch', '${RUN_IMAGE}']);
    expect(FILE).toMatch(/^ARG RUN_IMAGE=\S*distroless\/(?!\S*debug)/m);
    expect([hasVersion('node'), hasVersion('node:latest'), hasVersion('localhost:5000/node')]).not.toContain(true);
  });

  it('puts into the image the folder of packages alone, without those of development', () => {
    const names = last.instructions.map(([name]) => name);
    expect(names.filter((name) => ['RUN', 'ADD'].includes(name))).toEqual([]);
    expect(last.instructions.filter(([name]) => name === 'COPY')).toEqual([
      ['COPY', '--from=packages /build/image /app'],
    ]);
    const packages = stages.find(({ name }) => name === 'packages')!;
    const installs = packages.instructions.filter(([name, text]) => name === 'RUN' && /npm ci\b/.test(text));
    expect(installs).toEqual([['RUN', expect.stringContaining('npm ci --omit=dev')]]);
    for (const text of texts('RUN')) expect(text).not.toMatch(/\b(curl|wget|apt-get|apk)\b/);
  });

  it('keeps no secret, and starts node itself as a user without rights', () => {
    for (const text of [...texts('ENV'), ...texts('ARG')]) expect(text).not.toMatch(/SECRET|TOKEN|PASSWORD|_KEYS?=/);
    const { env, entrypoint, command, user, workdir } = settingsOf(FILE, 'apps/billing');
    expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(env).toMatchObject({ NODE_ENV: 'production', INTERNAL_HOST: '0.0.0.0' });
    expect(entrypoint).toEqual([
      '/nodejs/bin/node',
      '--enable-source-maps',
      expect.stringMatching(/^--max-semi-space/),
    ]);
    expect([command, workdir]).toEqual([['main.js'], '/app/apps/billing/dist']);
  });
});

describe('.dockerignore', () => {
  it('lets through what the build needs, and of the checkout nothing that is not of the product', () => {
    const files = contextFiles(ROOT);
    expect(files).toEqual(
      expect.arrayContaining(['package-lock.json', 'bench/package.json', 'apps/billing/src/main.ts']),
    );
    expect(
      files.filter((file) => /(^|\/)(node_modules|dist|\.git|\.nx|\.data|coverage|docs|\.env)(\/|$)/.test(file)),
    ).toEqual([]);
    expect(files.filter((file) => /\.spec\.ts$|\.(pem|key|log)$/.test(file))).toEqual([]);
  });

  it('keeps back secrets wherever they lie, and folders that it does not name', () => {
    const root = mkdtempSync(join(tmpdir(), 'evenkeel-context-'));
    const kept = ['.npmrc', 'apps/a/src/main.ts', 'bench/package.json'];
    const left = [
      ...['.env', '.git/config', 'apps/a/.env.local', 'apps/a/tls.key', 'libs/b/ca.pem', 'node_modules/c/index.js'],
      ...['apps/a/node_modules/c/index.js', 'apps/a/dist/main.js', 'bench/src/main.ts', 'notes/passwords.txt'],
      ...['apps/a/.data/keys', 'apps/a/src/a.unit.spec.ts', 'docker/secrets/password', 'npm-debug.log'],
    ];
    try {
      for (const file of [...kept, ...left]) {
        mkdirSync(dirname(join(root, file)), { recursive: true });
        writeFileSync(join(root, file), '');
      }
      writeFileSync(join(root, '.dockerignore'), readFileSync(join(ROOT, '.dockerignore')));
      expect(contextFiles(root)).toEqual(kept);
      writeFileSync(join(root, '.dockerignore'), 'apps/[ab]');
      expect(() => contextFiles(root)).toThrow('the pattern apps/[ab] is not known here');
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
