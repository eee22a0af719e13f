import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@evenkeel/platform/testing';
import { Cluster } from './cluster';
import { ClusterProcess } from './cluster-process';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'evenkeel-process-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function aProcess(code: string): ClusterProcess {
  const script = join(folder, 'program.js');
  writeFileSync(script, code);
  return new ClusterProcess({ name: 'program-1', script, env: {}, outputFile: join(folder, 'output') });
}

const READY = `console.log(JSON.stringify({ ready: true })); setInterval(() => 0, 1000);`;

it('starts a process, ends it with SIGTERM, and starts it again', async () => {
  const process = aProcess(`process.on('SIGTERM', () => process.exit(0)); ${READY}`);
  await process.start();
  const first = process.pid;
  expect(await process.stop()).toEqual({ code: 0, signal: null, ms: expect.any(Number) });
  expect(process.isRunning).toBe(false);
  await process.start();
  expect(process.pid).not.toBe(first);
  expect(await process.stop('SIGKILL')).toMatchObject({ code: null, signal: 'SIGKILL' });
});

it('says the last words of a process that does not start, or of a job that fails', async () => {
  const broken = `console.error('PORT must be a number'); process.exit(1);`;
  await expect(aProcess(broken).start()).rejects.toThrow(
    /^program-1 did not start\. Its last words[^]*PORT must be a number/,
  );
  await expect(aProcess(broken).run()).rejects.toThrow(/^program-1 failed\./);
  expect(await aProcess(`console.log('done')`).run()).toBe('done\n');
});

it('notices a process that has ended by itself', async () => {
  const process = aProcess(`${READY} setTimeout(() => process.exit(3), 100);`);
  await process.start();
  await eventually(() => !process.isRunning);
});

it('refuses a taken port in a sentence, before anything else', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const steps: string[] = [];
  const options = { port, outputFolder: folder, env: {}, report: (step: string) => void steps.push(step) };
  await expect(Cluster.start(options)).rejects.toThrow(
    `Port ${port} of 127.0.0.1 is taken by another process. Stop that one, or set PORT to a free one.`,
  );
  expect(steps).toEqual([]);
  other.close();
});
