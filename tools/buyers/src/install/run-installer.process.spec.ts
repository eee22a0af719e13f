import { CannotStartService } from '@evenkeel/services';
import { runInstaller } from './run-installer';

const node = (script: string) => ({ program: process.execPath, args: ['-e', script], env: process.env });
const said = (lines: string[]) => (line: string) => void lines.push(line);

it('says what it does, and that it is done', async () => {
  const lines: string[] = [];
  await runInstaller('Node counts to ten', 'Node', node('0'), said(lines));
  expect(lines).toEqual(['Node counts to ten.', expect.stringMatching(/^Node counts to ten: done in \d+ s\.$/)]);
});

it('says in a sentence that a toolchain is missing', async () => {
  const command = { program: 'evenkeel-no-such-compiler', args: [], env: process.env };
  const running = runInstaller('It compiles', 'Rust 1.95 or newer, or leave rust out', command, said([]));
  await expect(running).rejects.toThrow(
    new CannotStartService(
      'The program evenkeel-no-such-compiler is not installed: install Rust 1.95 or newer, or leave rust out.',
    ),
  );
});

it('shows the last lines of one that fails', async () => {
  const script = 'for (let i = 1; i <= 20; i++) console.error(`line ${i}`); process.exitCode = 3;';
  const running = runInstaller('It compiles', 'Node', node(script), said([]));
  await expect(running).rejects.toThrow(/^It compiles: failed \(3\)\.\nline 6\n[^]*\nline 20$/);
});
