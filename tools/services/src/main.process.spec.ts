import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { APP_NAMES } from '@evenkeel/contracts';
import { Client } from 'pg';

// Java starts in seconds, beside whatever else the machine does.
jest.setTimeout(60_000);

type Program = ChildProcessByStdio<null, Readable, Readable>;

function startProgram(...args: string[]): Program {
  const flags = ['--conditions=@evenkeel/source', '--require', '@swc-node/register'];
  return spawn(process.execPath, [...flags, join(__dirname, 'main.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** @returns the values of each variable, in the order of their lines */
async function exported(program: Program, count: number): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  let lines = 0;
  for await (const line of createInterface({ input: program.stdout })) {
    const [, variable, address] = /^(?:export (\w+)='(.*)'|# in the terminal of .*:)$/.exec(line)!;
    if (variable === undefined) continue;
    (found[variable] ??= []).push(address!);
    if (++lines === count) break;
  }
  return found;
}

function portOf(address: string): number {
  return Number(/:(\d+)(\/|$)/.exec(address)![1]);
}

/** The name of the database that a connection to the address is in. */
async function databaseOf(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>('SELECT current_database() AS name');
  await client.end();
  return rows[0]!.name;
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
    const addresses = await exported(program, APP_NAMES.length + 2);
    expect(Object.keys(addresses)).toEqual(['DATABASE_URL', 'REDIS_URL', 'KAFKA_BROKERS']);
    const ports = Object.values(addresses).map(([address]) => portOf(address!));
    expect(await Promise.all(ports.map(listens))).toEqual([true, true, true]);

    // One database for all would end the second service that migrates.
    const databases = await Promise.all(addresses.DATABASE_URL!.map(databaseOf));
    expect(databases).toEqual(APP_NAMES.map((app) => app.replaceAll('-', '_')));

    program.kill('SIGINT');
    expect(await once(program, 'exit')).toEqual([0, null]);
    expect(await Promise.all(ports.map(listens))).toEqual([false, false, false]);
  });

  it('leaves no server behind when it is killed', async () => {
    const program = startProgram('redis');
    const { REDIS_URL } = await exported(program, 1);
    program.kill('SIGKILL');
    await untilSilent(portOf(REDIS_URL![0]!));
  });

  it('explains itself', async () => {
    expect(await text(startProgram('--help').stdout)).toContain('npm run services');
  });

  it('names the services it knows', async () => {
    const program = startProgram('rabbitmq');
    expect(await text(program.stderr)).toContain('no service rabbitmq: choose from postgres, redis, kafka');
  });
});
