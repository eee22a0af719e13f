import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseDockerfile } from '../dockerfile/dockerfile';
import { Stages } from './perform-stages';

const FILE = `
ARG BASE=node:24-slim
FROM \${BASE} AS build
WORKDIR /build
COPY . .
RUN cp src/a.txt copied.txt && echo built >> ../log
WORKDIR inner

FROM build AS made
ARG APP
ENV GREETING="good morning"
RUN echo "$GREETING \${APP}" > said.txt && ln -s said.txt link.txt

FROM scratch AS run
ARG APP
COPY --from=made /build/inner /app
COPY --from=made /build/copied.txt /
WORKDIR /app/\${APP}
`;

let folder: string;
let steps: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-stages-'));
  steps = [];
  mkdirSync(join(folder, 'checkout/src'), { recursive: true });
  writeFileSync(join(folder, 'checkout/src/a.txt'), 'a');
  writeFileSync(join(folder, 'checkout/.env'), 'secret');
  writeFileSync(join(folder, 'checkout/.dockerignore'), '.*');
});
afterEach(() => rmSync(folder, { recursive: true }));

function stagesOf(text: string, runLimitMs?: number): Stages {
  const places = { context: join(folder, 'checkout'), folder: join(folder, 'stages') };
  return new Stages(parseDockerfile(text, { APP: 'shop' }), {
    ...places,
    env: { PATH: process.env.PATH, FOREIGN: 'of this machine' },
    onStep: (step) => steps.push(step),
    runLimitMs,
  });
}

it('copies, runs and hands on as the file says', async () => {
  const root = await stagesOf(FILE).perform('run', { APP: 'shop' });
  expect(readFileSync(join(root, 'app/said.txt'), 'utf8')).toBe('good morning shop\n');
  expect(readFileSync(join(root, 'app/link.txt'), 'utf8')).toBe('good morning shop\n');
  expect(readFileSync(join(root, 'copied.txt'), 'utf8')).toBe('a');
  expect(['app/shop', 'build', 'log'].map((name) => existsSync(join(root, name)))).toEqual([true, false, false]);
});

it('performs once what images have in common', async () => {
  const stages = stagesOf(FILE);
  const [shop, inn] = [await stages.perform('run', { APP: 'shop' }), await stages.perform('run', { APP: 'inn' })];
  expect(readFileSync(join(inn, 'app/said.txt'), 'utf8')).toBe('good morning inn\n');
  expect(readFileSync(join(shop, 'app/said.txt'), 'utf8')).toBe('good morning shop\n');
  expect(steps.filter((step) => step.startsWith('build: COPY'))).toHaveLength(1);
});

it('gives the build neither what .dockerignore names nor the environment of this machine', async () => {
  const stages = stagesOf(FILE.replace('echo built', 'ls -A . > ../found && env'));
  await stages.perform('run', { APP: 'shop' });
  expect(readFileSync(join(folder, 'stages/build/found'), 'utf8').split('\n')).toEqual(['copied.txt', 'src', '']);
  expect(readFileSync(join(folder, 'stages/build/log'), 'utf8')).not.toContain('FOREIGN');
});

it.each([
  ['a command that fails', 'echo built', 'echo no >&2 && exit 3 ; echo', '" ended with 3.\nno'],
  ['a path of this machine', 'echo built', 'cat /etc/hostname', 'names a path outside of the stage'],
  ['a way out of the stage', '../log', '../../log', 'names a path outside of the stage'],
  ['another mount', 'RUN cp', 'RUN --mount=type=bind,target=/x cp', 'type=bind,target=/x is not known'],
  ['a part of the checkout', 'COPY . .', 'COPY src .', 'COPY takes the checkout as a whole'],
  ['what the stage does not have', '/build/inner', '/build/outer', 'made has no /build/outer'],
  ['a command after USER', 'RUN echo "$G', 'USER 1:1\nRUN echo "$G', 'RUN after USER is not known'],
  ['a variable that is not set', 'WORKDIR /app/${APP}', 'WORKDIR /app/${NAME}', '${NAME} is not set in this stage'],
])('refuses %s', async (_what, written, instead, sentence) => {
  expect(FILE).toContain(written);
  await expect(stagesOf(FILE.replace(written, instead)).perform('run', { APP: 'shop' })).rejects.toThrow(sentence);
});

it('ends a command that does not end', async () => {
  const performed = stagesOf(FILE.replace(/RUN cp .*/, 'RUN echo waiting; exec sleep 60'), 300).perform('run', {
    APP: 'shop',
  });
  await expect(performed).rejects.toThrow('did not end within 0.3 s.\nwaiting');
});
