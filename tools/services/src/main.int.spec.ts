import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

// Java starts in seconds, beside whatever else the machine does.
jest.setTimeout(60_000);

type Program = ChildProcessByStdio<null, Readable, Readable>;

function startProgram(...args: string[]): Program {
  const flags = ['--conditions=@evenkeel/source', '--require', '@swc-node/register'];
  return spawn(process.execPath, [...flags, join(__dirname, 'main.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function exported(program: Program, count: number): Promise<Record<string, string>> {
  const lines = createInterface({ input: program.stdout });
  const found: Record<string, string> = {};
  for await (const line of lines) {
    const [, variable, address] = /^export (\w+)='(.*)'$/.exec(line)!;
    found[variable!] = address!;
    if (Object.keys(found).length === count) break;
  }
  return found;
}

function portOf(address: string): number {
  return Number(/:(\d+)(\/|$)/.exec(address)![1]);
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

async function untilSilent(port: number): Promise<void> {
  while (await listens(port)) await sleep(50);
}

describe('npm run services', () => {
  it('prints what to export, and stops everything on Ctrl-C', async () => {
    const program = startProgram();
    const addresses = await exported(program, 3);
    expect(Object.keys(addresses)).toEqual(['DATABASE_URL', 'REDIS_URL', 'KAFKA_BROKERS']);
    const ports = Object.values(addresses).map(portOf);
    expect(await Promise.all(ports.map(listens))).toEqual([true, true, true]);

    program.kill('SIGINT');
    expect(await once(program, 'exit')).toEqual([0, null]);
    expect(await Promise.all(ports.map(listens))).toEqual([false, false, false]);
  });

  it('leaves no server behind when it is killed', async () => {
    const program = startProgram('redis');
    const { REDIS_URL } = await exported(program, 1);
    program.kill('SIGKILL');
    await untilSilent(portOf(REDIS_URL!));
  });

  it('explains itself', async () => {
    expect(await text(startProgram('--help').stdout)).toContain('npm run services');
  });

  it('names the services it knows', async () => {
    const program = startProgram('rabbitmq');
    expect(await text(program.stderr)).toContain('no service rabbitmq: choose from postgres, redis, kafka');
  });
});
