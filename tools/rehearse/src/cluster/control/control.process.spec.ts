import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import type { Roll } from '../processes/cluster';
import { ControlSocket, restart } from './control';
import { NoCluster, readState, removeState, writeState } from './state';

let dataDir: string;
let control: ControlSocket;
const rolled: AppName[] = [];

async function roll(app: AppName): Promise<Roll[]> {
  if (rolled.includes(app)) throw new Error(`${app} did not start.`);
  rolled.push(app);
  return [{ name: `${app}-1`, exit: { code: 0, signal: null, ms: 12 }, readyMs: 34 }];
}

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'evenkeel-state-'));
  rolled.length = 0;
  control = await ControlSocket.open({ roll });
  const addresses = { url: 'http://127.0.0.1:8080', facilitatorUrl: 'http://f', stripeUrl: 'http://s' };
  const secrets = { adminToken: 'word', stripeKey: 'sk', webhookSecret: 'whsec' };
  writeState(dataDir, { ...addresses, ...secrets, socket: control.path, databases: {}, processes: [] });
});
afterEach(() => {
  control.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const quiet = () => undefined;

it('restarts one service, or all in the order of compose, and tells each step', async () => {
  const steps: string[] = [];
  const done = await restart(dataDir, 'billing', (step) => steps.push(step));
  expect([done.map(({ name }) => name), steps]).toEqual([['billing-1'], ['restarting billing']]);
  rolled.length = 0;
  await restart(dataDir, 'all', quiet);
  expect(rolled).toEqual(APP_NAMES);
});

it('says what the cluster says when it cannot', async () => {
  await restart(dataDir, 'billing', quiet);
  await expect(restart(dataDir, 'billing', quiet)).rejects.toThrow('billing did not start.');
});

it('says what to type where no cluster runs, or one has died', async () => {
  const { socket } = readState(dataDir);
  expect(socket).toBe(control.path);
  control.close();
  await expect(restart(dataDir, 'all', quiet)).rejects.toThrow(NoCluster);
  removeState(dataDir);
  await expect(restart(dataDir, 'all', quiet)).rejects.toThrow('Start one with "npm run cluster".');
});
