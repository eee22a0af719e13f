import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../command-line.mjs';
import { folder } from '../packages.mjs';

const PROGRAM = join(folder, 'node_modules/@apify/mcpc/bin/mcpc');
const SESSION = '@evenkeel';
/** Its session has five seconds to come up, which a busy machine may not give it. */
const ATTEMPTS = 10;

/** Apify's command line: a session in the background, which keeps one signature for its calls, and asks no person. */
export async function open({ url, privateKey }) {
  const home = await mkdtemp(join(tmpdir(), 'evenkeel-mcpc-'));
  const mcpc = async (...args) => {
    const { stdout, stderr } = await run(PROGRAM, [...args, '--json'], { HOME: home, MCPC_HOME_DIR: home });
    try {
      return JSON.parse(stdout);
    } catch {
      throw new Error(stderr || stdout);
    }
  };
  const connect = async (left = ATTEMPTS) => {
    try {
      await mcpc('connect', new URL('/mcp', url).href, SESSION, '--x402');
    } catch (error) {
      if (left === 1 || !error.message.includes('Bridge failed to start')) throw error;
      await connect(left - 1);
    }
  };
  try {
    await mcpc('x402', 'import', privateKey);
    await connect();
  } catch (error) {
    await rm(home, { recursive: true, force: true });
    throw error;
  }
  return {
    listTools: () => mcpc(SESSION, 'tools-list'),
    call: async (name, input) => {
      return { result: await mcpc(SESSION, 'tools-call', name, JSON.stringify(input)), offers: null };
    },
    close: async () => {
      const { sessions } = JSON.parse(await readFile(join(home, 'sessions.json'), 'utf8'));
      try {
        process.kill(sessions[SESSION].pid);
      } finally {
        await rm(home, { recursive: true, force: true });
      }
    },
  };
}
