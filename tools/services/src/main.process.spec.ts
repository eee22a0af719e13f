import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { APP_NAMES } from '@evenkeel/contracts';
import { Client } from 'pg';
import { Program, stopPrograms } from './jest/program';

// Java and eight processes start, beside whatever else the machine does.
jest.setTimeout(300_000);

afterAll(() => stopPrograms());

/** Variables by the heading of their terminal: that of a service, or `every`. @param last that it prints */
async function exported(program: Program, last: string): Promise<Record<string, Record<string, string>>> {
  await program.prints(new RegExp(`^export ${last}='.*'$`, 'm'));
  const found: Record<string, Record<string, string>> = {};
  let terminal = '';
  const lines = program.output.matchAll(/^(?:export (\w+)='(.*)'|# in (?:the terminal of )?(\S+?)(?: terminal)?:)$/gm);
  for (const [, variable, value, heading] of lines) {
    if (heading !== undefined) terminal = heading;
    else found[terminal] = { ...found[terminal], [variable!]: value! };
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

it('prints what starts all four services side by side, and stops everything on Ctrl-C', async () => {
  const program = Program.script('services');
  const { every, ...own } = await exported(program, 'KAFKA_BROKERS');
  expect(Object.keys(own)).toEqual([...APP_NAMES]);
  // One database for all would end the second service that migrates.
  const databases = await Promise.all(APP_NAMES.map((app) => databaseOf(own[app]!.DATABASE_URL!)));
  expect(databases).toEqual(APP_NAMES.map((app) => app.replaceAll('-', '_')));

  expect(await Program.script('topics:create', every).exit).toEqual({ code: 0, signal: null });
  const running: Program[] = [];
  for (const app of APP_NAMES) {
    const env = { ...every, ...own[app] };
    expect((await Program.start(`apps/${app}/src/migrate.ts`, env).exit).code).toBe(0);
    for (const half of ['main', 'worker']) {
      const started = Program.start(`apps/${app}/src/${half}.ts`, env);
      running.push(started);
      const { internalUrl } = await started.ready();
      // A reader is ready once its group has given it partitions.
      while ((await fetch(`${internalUrl}/health/ready`)).status !== 200) await sleep(50);
    }
  }
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ email: 'ada@example.com', password: 'a long walk by the sea' });
  const registered = await fetch('http://localhost:3001/v1/auth/register', { method: 'POST', headers, body });
  const { accessToken } = (await registered.json()) as { accessToken: string };
  const authorization = `Bearer ${accessToken}`;
  expect((await fetch('http://localhost:3002/v1/billing/me', { headers: { authorization } })).status).toBe(200);
  await Promise.all(running.map((one) => one.stop()));

  const ports = [own.accounts!.DATABASE_URL!, every!.REDIS_URL!, every!.KAFKA_BROKERS!].map(portOf);
  expect(await Promise.all(ports.map(listens))).toEqual([true, true, true]);
  program.kill('SIGINT');
  expect(await program.exit).toEqual({ code: 0, signal: null });
  expect(await Promise.all(ports.map(listens))).toEqual([false, false, false]);
});
