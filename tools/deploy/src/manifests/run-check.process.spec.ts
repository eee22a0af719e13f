import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureKustomize } from './kustomize/ensure-kustomize';
import { runCheck } from './run-check';
import { K8S } from './variants.fixture';

async function run(...args: string[]) {
  let out = '';
  let err = '';
  const code = await runCheck(args, { out: (text) => void (out += text), err: (text) => void (err += text) });
  return { code, out, err };
}

beforeAll(() => ensureKustomize(), 900_000);

it('the overlay for trials is whole', async () => {
  expect(await run(join(K8S, 'overlays/dev'))).toEqual({
    ...{ code: 0, err: '' },
    out: expect.stringMatching(/^\d+ objects, nothing is wrong\.\n$/) as string,
  });
});

it('that for production says what to replace, and nothing else', async () => {
  const { code, out } = await run(join(K8S, 'overlays/prod'));
  expect(code).toBe(1);
  expect(out).toMatch(
    /^to be replaced:\n {2}ConfigMap accounts-config-\w+: data\.MAIL_FROM has a name of example\.com/,
  );
});

it('says which rule is broken', async () => {
  const { out } = await run(join(K8S, 'overlays/prod'), '--secrets', join(K8S, 'nothing.yaml'));
  expect(out).toMatch(
    /^what a pod refers to exists:\n {2}Deployment accounts-http: the Secret accounts-secrets is missing/,
  );
});

it.each([
  [[], 'Name one overlay.\n'],
  [['a', 'b'], 'Name one overlay.\n'],
  [['k8s/nothing'], 'There is no kustomization.yaml in k8s/nothing.\n'],
])('is told what it cannot use: %p', async (args, sentence) => {
  expect(await run(...args)).toMatchObject({ code: 2, err: expect.stringContaining(sentence) as string });
});

it('says what kustomize says of an overlay that it cannot build', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'overlay-'));
  try {
    await writeFile(join(folder, 'kustomization.yaml'), 'resources: [nothing.yaml]\n');
    const { code, err } = await run(folder);
    expect([code, err]).toEqual([1, expect.stringMatching(/^kustomize cannot build .*nothing\.yaml/s)]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
