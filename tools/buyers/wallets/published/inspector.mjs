import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../command-line.mjs';
import { folder } from '../packages.mjs';

/** The inspector's command line: it has no wallet, and tells a refusal by its exit code. */
export async function open({ url, line = 'sdk 1.x' }) {
  const home = await mkdtemp(join(tmpdir(), 'evenkeel-inspector-'));
  const program = join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
  const era = line.endsWith('new era') ? 'modern' : 'legacy';
  const inspect = async (...args) => {
    const target = ['--cli', new URL('/mcp', url).href, '--protocol-era', era, '--quiet', '--format', 'json'];
    const { code, stdout, stderr } = await run(program, [...target, ...args], { HOME: home });
    if (!stdout) throw new Error(stderr);
    return { code, ...JSON.parse(stdout).result };
  };
  return {
    listTools: async () => (await inspect('--method', 'tools/list')).tools,
    call: async (name, input) => {
      const args = ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(input)];
      return { result: await inspect(...args), offers: null };
    },
    close: () => rm(home, { recursive: true, force: true }),
  };
}
