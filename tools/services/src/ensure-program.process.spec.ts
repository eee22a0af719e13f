import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ensureProgram } from './ensure-program';

const program = { name: 'evenkeel-sample', debianPackage: 'sample', purpose: 'Sample 1, or set SAMPLE_URL' };

let folder: string;
const path = process.env.PATH;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-programs-'));
  process.env.PATH = `${folder}${delimiter}${path}`;
});
afterEach(() => {
  process.env.PATH = path;
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function put(name: string, script: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

function asUser(uid: number): void {
  jest.spyOn(process, 'getuid').mockReturnValue(uid);
}

describe('ensureProgram', () => {
  it('takes what is on the PATH, and says nothing', async () => {
    const file = put(program.name, '');
    const log = jest.fn();
    expect(await ensureProgram(program, log)).toBe(file);
    expect(log).not.toHaveBeenCalled();
  });

  it('names the command to type to one who is not root', async () => {
    asUser(1000);
    await expect(ensureProgram(program, jest.fn())).rejects.toThrow(
      'The program evenkeel-sample is not installed. On Debian or Ubuntu type "sudo apt-get update && ' +
        'sudo apt-get install -y sample"; elsewhere install Sample 1, or set SAMPLE_URL.',
    );
  });

  it('installs as root, with fresh lists when there are none, and says so', async () => {
    asUser(0);
    const lists = join(folder, 'lists');
    const installed = join(folder, program.name);
    put(
      'apt-get',
      `[ "$1" = update ] && { touch ${lists}; exit; }
       [ -e ${lists} ] || exit 100
       [ "$1" = install ] && printf '#!/bin/sh' > ${installed} && chmod +x ${installed}`,
    );
    const log = jest.fn<void, [string]>();
    expect(await ensureProgram(program, log)).toBe(installed);
    expect(log.mock.calls[0]).toEqual(["The program evenkeel-sample is missing: installing Debian's package sample."]);
  });

  it('says what to do when the installation fails', async () => {
    asUser(0);
    put('apt-get', 'exit 100');
    await expect(ensureProgram(program, jest.fn())).rejects.toThrow('Installing sample failed');
  });
});
