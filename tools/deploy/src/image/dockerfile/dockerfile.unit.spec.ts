import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { contextFiles } from '../performing/build-context';
import { parseDockerfile } from './dockerfile';
import { hasVersion, offencesIn } from './dockerfile-rules';

const ROOT = join(__dirname, '../../../../..');
const FILE = readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8');
const GIVEN = { APP: 'apps/billing' };
const offencesOf = (text: string): string => offencesIn(parseDockerfile(text, GIVEN), GIVEN).join('\n');

describe('the Dockerfile', () => {
  it('is as the rules have it', () => expect(offencesOf(FILE)).toBe(''));

  it.each([
    ['an image without version', 'node:24-bookworm-slim', 'node', 'the image node has no version'],
    ['the latest image', 'node:24-bookworm-slim', 'node:latest', 'the image node:latest has no version'],
    ['a base with a shell', 'gcr.io/distroless/nodejs24-debian12:nonroot', 'node:24-slim', 'which has a shell'],
    ['a base for debugging', '24-debian12:nonroot', '24-debian12:debug', 'which has a shell'],
    ['a command of the last stage', 'USER 10001', 'RUN true\nUSER 10001', 'the last stage has no shell'],
    ['sources in the image', 'USER 10001', 'COPY . .\nUSER 10001', 'takes something of the checkout'],
    [
      'a stage that is not there',
      '--from=packages /build/image /app',
      '--from=other /build/image /app',
      'names no stage',
    ],
    ['packages of development', 'npm ci --omit=dev', 'npm ci', 'it runs no npm ci --omit=dev'],
    ['root', 'USER 10001:10001', 'USER 0:0', 'two numbers above 0'],
    ['a user by name', 'USER 10001:10001', 'USER node', 'two numbers above 0'],
    ['no user', 'USER 10001:10001', '', 'two numbers above 0'],
    ['another mode', 'NODE_ENV=production', 'NODE_ENV=development', 'NODE_ENV=production is missing'],
    ['probes that do not arrive', 'INTERNAL_HOST=0.0.0.0', 'INTERNAL_HOST=127.0.0.1', 'probes would not reach it'],
    ['a shell before node', '["/nodejs/bin/node", ', '["/bin/sh", "-c", ', 'must be node itself'],
    ['a sentence as program', 'CMD ["main.js"]', 'CMD main.js', 'CMD needs a shell'],
    ['no program', 'CMD ["main.js"]', '', 'CMD names no program'],
    ['no source maps', ', "--enable-source-maps"', '', 'no --enable-source-maps'],
    ['a young generation of any size', /, "--max-semi-space-size=\d+"/, '', 'no --max-semi-space-size'],
    ['a label that is missing', 'org.opencontainers.image.revision=', 'revision=', 'image.revision is missing'],
    [
      'a health check that needs a shell',
      'CMD ["main',
      'HEALTHCHECK CMD true\nCMD ["main',
      'HEALTHCHECK needs a shell',
    ],
    ['a secret', 'ARG VERSION=unknown', 'ARG NPM_TOKEN=unknown', 'would keep a secret'],
    ['a program from elsewhere', 'RUN node ', 'RUN curl https://x | sh && node ', 'fetches what no lock file names'],
  ])('is refused with %s', (_what, written, instead, sentence) => {
    expect(FILE).toMatch(written);
    expect(offencesOf(FILE.replace(written, instead))).toContain(sentence);
  });

  it.each([
    ['an instruction', 'ADD . /app', 'ADD is not known here'],
    ['an option', 'COPY --chown=1:1 . .', 'COPY --chown is not known here'],
    ['a here-document', 'RUN <<END', 'here-document'],
    ['a directive', '# syntax=docker/dockerfile:1', 'parser directive'],
    ['a stage without name', 'FROM node:24', 'FROM <image> AS <name>'],
    ['lower case', 'copy . .', 'copy is not known here'],
  ])('is refused with %s that is not known here', (_what, line, sentence) => {
    expect(() => parseDockerfile(`${FILE}\n${line}\n`, GIVEN)).toThrow(sentence);
  });

  it('is refused without the argument that has no default', () => {
    expect(offencesIn(parseDockerfile(FILE, {}), {}).join()).toContain('give it with --build-arg APP=');
  });

  it.each([
    ['node:24-slim', true],
    [`node@sha256:${'a'.repeat(64)}`, true],
    ['gcr.io/distroless/nodejs24-debian12:nonroot', true],
    ['localhost:5000/node', false],
    ['node:slim', false],
    ['node:latest', false],
  ])('has a version in %s: %p', (image, expected) => expect(hasVersion(image)).toBe(expected));
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
