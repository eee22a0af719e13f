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
import { Program as ServiceProgram, stopPrograms } from './jest/program';

// Java and eight processes start, beside whatever else the machine does.
jest.setTimeout(300_000);

afterAll(() => stopPrograms());

type Program = ChildProcessByStdio<null, Readable, Readable>;

function startProgram(...args: string[]): Program {
  const flags = ['--conditions=@evenkeel/source', '--require', '@swc-node/register'];
  return spawn(process.execPath, [...flags, join(__dirname, 'main.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Variables by the heading of their terminal: that of a service, or `every`. */
type Exported = Record<string, Record<string, string>>;

/** Reads what a program prints until it has started everything. */
async function exported(program: Program): Promise<Exported> {
  const found: Exported = {};
  let terminal = '';
  createInterface({ input: program.stdout }).on('line', (line) => {
    const [, variable, value, heading] =
      /^(?:export (\w+)='(.*)'|# in (?:the terminal of )?(\S+?)(?: terminal)?:)$/.exec(line)!;
    if (heading !== undefined) terminal = heading;
    else found[terminal] = { ...found[terminal], [variable!]: value! };
  });
  for await (const line of createInterface({ input: program.stderr })) {
    if (line === 'Ctrl-C stops them.') return found;
  }
  throw new Error('It ended before everything was up.');
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

/** A reader is ready once its group has given it partitions. */
async function untilReady(internalUrl: string): Promise<void> {
  while ((await fetch(`${internalUrl}/health/ready`)).status !== 200) await sleep(50);
}

async function untilSilent(port: number): Promise<void> {
  while (await listens(port)) await sleep(50);
}

describe('npm run services', () => {
  it('prints what starts all four services side by side, and stops everything on Ctrl-C', async () => {
    const program = startProgram();
    const { every, ...own } = await exported(program);
    expect(Object.keys(own)).toEqual([...APP_NAMES]);
    // One database for all would end the second service that migrates.
    const databases = await Promise.all(APP_NAMES.map((app) => databaseOf(own[app]!.DATABASE_URL!)));
    expect(databases).toEqual(APP_NAMES.map((app) => app.replaceAll('-', '_')));

    expect(await ServiceProgram.script('topics:create', every).exit).toEqual({ code: 0, signal: null });
    for (const app of APP_NAMES) {
      const env = { ...every, ...own[app] };
      expect((await ServiceProgram.start(`apps/${app}/src/migrate.ts`, env).exit).code).toBe(0);
      for (const half of ['main', 'worker']) {
        const { internalUrl } = await ServiceProgram.start(`apps/${app}/src/${half}.ts`, env).ready();
        await untilReady(internalUrl);
      }
    }
    await stopPrograms();

    const ports = [own.accounts!.DATABASE_URL!, every!.REDIS_URL!, every!.KAFKA_BROKERS!].map(portOf);
    expect(await Promise.all(ports.map(listens))).toEqual([true, true, true]);
    program.kill('SIGINT');
    expect(await once(program, 'exit')).toEqual([0, null]);
    expect(await Promise.all(ports.map(listens))).toEqual([false, false, false]);
  });

  it('leaves no server behind when it is killed', async () => {
    const program = startProgram('redis');
    const { every } = await exported(program);
    program.kill('SIGKILL');
    await untilSilent(portOf(every!.REDIS_URL!));
  });

  it('explains itself', async () => {
    expect(await text(startProgram('--help').stdout)).toContain('npm run services');
  });

  it('names the services it knows', async () => {
    const program = startProgram('rabbitmq');
    expect(await text(program.stderr)).toContain('no service rabbitmq: choose from postgres, redis, kafka');
  });
});
