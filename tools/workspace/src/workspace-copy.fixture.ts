import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { ROOT, run } from './run.fixture';

const LEFT_OUT = new Set(['node_modules', 'dist', 'coverage', '.nx']);
const PACKAGES = 'node_modules';
const OURS = '@evenkeel';

/** A part of the workspace in a folder of its own, where generators may write: its packages are links to those that are installed. */
export class WorkspaceCopy implements AsyncDisposable {
  private constructor(readonly root: string) {}

  /** @param parts folders and files, beside the files in the root */
  static async of(parts: readonly string[]): Promise<WorkspaceCopy> {
    const copy = new WorkspaceCopy(await realpath(await mkdtemp(join(tmpdir(), 'evenkeel-copy-'))));
    const entries = await readdir(ROOT, { withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && entry.name !== '.git').map(({ name }) => name);
    for (const part of [...files, ...parts]) {
      const filter = (from: string) => !LEFT_OUT.has(basename(from));
      await cp(join(ROOT, part), join(copy.root, part), { recursive: true, filter });
    }
    await mkdir(join(copy.root, PACKAGES, OURS), { recursive: true });
    for (const name of await readdir(join(ROOT, PACKAGES))) {
      if (name !== OURS && name !== '.cache')
        await symlink(join(ROOT, PACKAGES, name), join(copy.root, PACKAGES, name));
    }
    const projects = parts.filter((part) => /^\w+\/[\w-]+$/.test(part));
    for (const project of projects) await copy.link(project);
    return copy;
  }

  /** Makes a project known to the others, as `npm install` does. */
  async link(project: string): Promise<void> {
    await symlink(join(this.root, project), join(this.root, PACKAGES, OURS, basename(project)));
  }

  run(program: string, args: readonly string[], input?: string): Promise<string> {
    return run(program, args, input, this.root);
  }

  read(file: string): Promise<string> {
    return readFile(join(this.root, file), 'utf8');
  }

  async write(file: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.root, file)), { recursive: true });
    await writeFile(join(this.root, file), text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}
