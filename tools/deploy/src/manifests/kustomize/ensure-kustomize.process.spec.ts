import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CannotStartService } from '@evenkeel/services';
import { ensureKustomize } from './ensure-kustomize';

const { PATH, XDG_CACHE_HOME } = process.env;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-kustomize-'));
  // Nothing is cached, and nothing is on the PATH but a shell.
  Object.assign(process.env, { PATH: folder, XDG_CACHE_HOME: join(folder, 'cache') });
  symlinkSync('/bin/sh', join(folder, 'sh'));
  jest.spyOn(process, 'getuid').mockReturnValue(1000);
});
afterEach(() => {
  process.env.PATH = PATH;
  if (XDG_CACHE_HOME === undefined) delete process.env.XDG_CACHE_HOME;
  else process.env.XDG_CACHE_HOME = XDG_CACHE_HOME;
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function put(name: string, script: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

const version = (text: string) => put('kustomize', `echo ${text}`);
/** As `go install` does it, into the folder that it is told. */
const BUILDS = 'printf "#!/bin/sh\\n" > "$GOBIN/kustomize"';

async function ensured(...names: string[]) {
  const said: string[] = [];
  const found = await ensureKustomize((line) => void said.push(line), names).catch((error: Error) => error);
  return { found, said };
}

it.each(['v5.0.3', '5.7.1', 'v12.0.0', '(devel)'])('takes one of version %s', async (text) => {
  const file = version(`'${text}'`);
  expect(await ensured(file)).toEqual({ found: file, said: [] });
});

it('says what to type where there is neither kustomize nor Go', async () => {
  const { found } = await ensured('evenkeel-no-kustomize');
  expect(found).toBeInstanceOf(CannotStartService);
  expect((found as Error).message).toBe(
    'The program go is not installed. On Debian or Ubuntu type "sudo apt-get update && sudo apt-get install -y golang-go"; ' +
      'elsewhere install Go 1.19 or newer, or kustomize 5.',
  );
});

it('builds its own once where the one on the PATH is too old', async () => {
  const old = version('v4.5.7');
  put('go', BUILDS);
  const { found, said } = await ensured(old);
  expect(found).toBe(join(folder, 'cache/evenkeel/kustomize-v5.0.3/kustomize'));
  expect(said).toEqual([expect.stringMatching(/^Building kustomize v5\.0\.3/), expect.stringMatching(/^Built/)]);
  expect(await ensured(old)).toEqual({ found, said: [] });
});

it('says what to type, and what Go said, where it cannot be built', async () => {
  put('go', 'echo "dial tcp: no route to host" >&2; exit 1');
  const { found } = await ensured('evenkeel-no-kustomize');
  expect(found).toBeInstanceOf(CannotStartService);
  expect((found as Error).message).toMatch(
    /^Go could not build kustomize\. Type "go install sigs\.k8s\.io\/kustomize\/kustomize\/v5@v5\.0\.3" and put .*\ndial tcp: no route to host$/,
  );
});
