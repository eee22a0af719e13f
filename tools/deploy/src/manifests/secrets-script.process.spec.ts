import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const SCRIPT = join(__dirname, '../../../../k8s/secrets.sh');

let folder: string;
let secrets: string;
beforeEach(() => {
  // Of somebody whose home has a space in its name.
  folder = mkdtempSync(join(tmpdir(), 'evenkeel secrets '));
  secrets = join(folder, 'secrets');
  program('kubectl', 'printf "%s\\n" "$@"');
});
afterEach(() => rmSync(folder, { recursive: true }));

function program(name: string, line: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
}

function run() {
  const env = { PATH: `${folder}${delimiter}${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync('sh', [SCRIPT, secrets], { env, encoding: 'utf8' });
  return { status, stdout, lacks: stderr.match(/^\/.+\/[A-Z_0-9]+$/gm) ?? [] };
}

it('makes the keys, names the files that it lacks, and then gives each Secret its files', () => {
  const first = run();
  expect(first).toMatchObject({ status: 1, stdout: '' });
  for (const file of first.lacks) writeFileSync(file, 'a value');
  const { status, stdout, lacks } = run();
  expect([status, lacks]).toEqual([0, []]);
  const given = [...stdout.matchAll(/^--from-file=([A-Z_0-9]+)=(.+)$/gm)];
  expect(given.map(([, key, file]) => [file, existsSync(file!), file!.endsWith(`/${key}`)])).toEqual(
    given.map(([, , file]) => [file, true, true]),
  );
  expect(given.map(([, , file]) => file)).toEqual(expect.arrayContaining(first.lacks));
  expect(stdout).toContain(`--from-file=JWT_KEYS=${secrets}/accounts-secrets/JWT_KEYS\n`);
});

it('gives a Secret the further files of its folder, such as the signing secret before the present one', () => {
  for (const file of run().lacks) writeFileSync(file, 'a value');
  const folderOfBilling = join(secrets, 'billing-secrets');
  for (const name of ['STRIPE_WEBHOOK_SECRET_PREVIOUS', 'STRIPE_SECRET_KEY~', 'notes.txt'])
    writeFileSync(join(folderOfBilling, name), 'a value');
  const { status, stdout } = run();
  expect(status).toBe(0);
  const [, ofBilling] = /^billing-secrets\n([^]+?)^---$/m.exec(stdout)!;
  const keys = [...ofBilling!.matchAll(/^--from-file=([^=]+)=.+$/gm)].map(([, key]) => key);
  expect(keys.slice(-2)).toEqual(['STRIPE_WEBHOOK_SECRET', 'STRIPE_WEBHOOK_SECRET_PREVIOUS']);
  expect(new Set(keys).size).toBe(keys.length);
  expect(stdout.match(/(~|PREVIOUS|notes\.txt)$/gm)).toEqual(['PREVIOUS']);
});

it('keeps no key that could not be made', () => {
  program('openssl', 'exit 1');
  const made = ['agent-gateway-secrets/ANSWER_KEYS', 'accounts-secrets/JWT_KEYS', 'reporting-secrets/ADMIN_TOKEN'];
  const files = made.map((name) => join(secrets, name));
  expect(run().lacks).toEqual(expect.arrayContaining(files));
  expect(files.filter((file) => existsSync(file))).toEqual([]);
});
