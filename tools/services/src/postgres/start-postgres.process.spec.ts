import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { CannotStartPostgres, ensureDatabase, startPostgres, startTemporaryPostgres } from '../index';

const folders: string[] = [];
const aFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-test-'));
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
};
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A folder with a stopped cluster that holds one row: a copy, because making one takes a second. */
function aUsedFolder(): string {
  const dataDir = aFolder();
  execFileSync('cp', ['-a', `${usedFolder}/.`, dataDir]);
  return dataDir;
}

// Servers start and stop in these tests, beside whatever else the machine does.
jest.setTimeout(60_000);

const usedFolder = aFolder();
beforeAll(async () => {
  await using server = await startPostgres({ dataDir: usedFolder });
  await query(server.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
});

describe('startPostgres', () => {
  it('stops when its starter is killed, and starts again on the same data, for its owner alone', async () => {
    const dataDir = aUsedFolder();
    const { said: url, kill } = await startElsewhere(dataDir);
    await query(url, 'INSERT INTO kept VALUES (43)');
    await kill('SIGKILL');

    await using server = await startPostgres({ dataDir });
    expect(await query(server.url, 'SELECT answer FROM kept ORDER BY 1')).toEqual([{ answer: 42 }, { answer: 43 }]);
    const settings = `SELECT current_setting('fsync') AS fsync, datlocprovider AS provider, datlocale AS locale
      FROM pg_database WHERE datname = current_database()`;
    expect(await query(server.url, settings)).toEqual([{ fsync: 'on', provider: 'b', locale: 'C.UTF-8' }]);
    const stranger = Object.assign(new URL(server.url), { password: 'guessed' });
    await expect(query(stranger.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  });

  it('is not confused by the mark of a server that is gone', async () => {
    const dataDir = aUsedFolder();
    writeFileSync(join(dataDir, 'cluster/postmaster.pid'), `${process.pid}\n${dataDir}\n`);
    await using server = await startPostgres({ dataDir });
    expect(await query(server.url, 'SELECT answer FROM kept')).toHaveLength(1);
  });

  it('refuses a folder that another server has open, and names it', async () => {
    const dataDir = aUsedFolder();
    await using _first = await startPostgres({ dataDir });
    const second = startPostgres({ dataDir, releaseWithinMs: 0 });
    await expect(second).rejects.toThrow(CannotStartPostgres);
    await expect(second).rejects.toThrow(`The database in ${dataDir}/cluster is in use by process`);
  });

  it.each([
    ['without its version', (cluster: string) => unlinkSync(join(cluster, 'PG_VERSION')), 'no complete database'],
    ['of an older version', (cluster: string) => writeFileSync(join(cluster, 'PG_VERSION'), '12\n'), 'PostgreSQL 12,'],
    ['with damaged files', (cluster: string) => truncateSync(join(cluster, 'global/pg_control'), 100), 'did not start'],
    ['without its password', (cluster: string) => unlinkSync(join(cluster, '../password')), 'file "password"'],
  ])('refuses a folder %s, and says what to do', async (_what, damage, problem) => {
    const dataDir = aUsedFolder();
    damage(join(dataDir, 'cluster'));
    const attempt = startPostgres({ dataDir });
    await expect(attempt).rejects.toThrow(problem);
    await expect(attempt).rejects.toThrow(dataDir);
    await expect(attempt).rejects.toThrow(/[Mm]ove (it|the folder) away/);
  });

  it('names a folder that cannot be made, and the setting', async () => {
    const file = join(aFolder(), 'file');
    writeFileSync(file, '');
    const attempt = startPostgres({ dataDir: join(file, 'postgres') });
    await expect(attempt).rejects.toThrow(CannotStartPostgres);
    await expect(attempt).rejects.toThrow(
      /^The folder .*\/file\/postgres cannot be made: .*\. Set DATA_DIR to another one\.$/,
    );
  });

  it('begins again after a start that was killed half-way', async () => {
    const dataDir = aFolder();
    mkdirSync(join(dataDir, 'cluster.unfinished/base'), { recursive: true });
    await using server = await startPostgres({ dataDir });
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('keeps one of two first starts at the same moment; the other says that the folder is in use', async () => {
    const dataDir = aFolder();
    const starts = await Promise.all([startElsewhere(dataDir), startElsewhere(dataDir)]);
    try {
      const [inUse, url] = starts.map(({ said }) => said).sort();
      expect(inUse).toMatch(/^The database in .*\/cluster is in use by process \d+\. /);
      expect(await query(url!, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      expect(readdirSync(dataDir).sort()).toEqual(['cluster', 'password']);
    } finally {
      await Promise.all(starts.map(({ kill }) => kill('SIGKILL')));
    }
  });

  it('keeps the data where its user can enter, and says so when that is elsewhere', async () => {
    // Started as root the server runs as the user postgres, whom a private folder keeps out; else as its owner.
    const isRoot = process.getuid?.() === 0;
    const home = aFolder();
    chmodSync(home, 0o700);
    const said: string[] = [];
    await using server = await startPostgres({ dataDir: join(home, 'data'), log: (line) => said.push(line) });
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    const elsewhere = [expect.stringContaining(`cannot enter ${home}/data: the database is kept in`)];
    expect(said).toEqual(isRoot ? elsewhere : []);
    folders.push(...said.map((line) => line.split(' ').at(-1)!.replace(/\.$/, '')));
  });
});

describe('ensureDatabase', () => {
  it('makes what is missing, for a user who may, and needs no right for what is there', async () => {
    await using server = await startTemporaryPostgres();
    await query(server.url, `CREATE ROLE guest LOGIN PASSWORD 'guest'`);
    const guest = Object.assign(new URL(server.url), { username: 'guest', password: 'guest' }).href;
    const missing = 'PostgreSQL has no database accounts, and did not make it: permission denied to create database.';
    await expect(ensureDatabase(guest, 'accounts')).rejects.toThrow(
      `${missing} Make it, owned by guest, or give this user the right CREATEDB.`,
    );
    await ensureDatabase(server.url, 'accounts');
    const url = await ensureDatabase(guest, 'accounts');
    expect(await query(url, 'SELECT current_database() AS name')).toEqual([{ name: 'accounts' }]);
  });

  it('names a server that breaks off, and the process goes on', async () => {
    await using server = await startTemporaryPostgres();
    // While it is in use no other database is made.
    const template = new Client({ connectionString: server.url.replace(/postgres$/, 'template1') });
    template.on('error', () => undefined);
    await template.connect();
    const failure = ensureDatabase(server.url, 'accounts').catch(({ message }: Error) => message);
    const waiting = `SELECT pid FROM pg_stat_activity WHERE query LIKE 'CREATE DATABASE%'`;
    let found: unknown[] = [];
    while (found.length === 0) found = await query(server.url, waiting);
    process.kill((found[0] as { pid: number }).pid, 'SIGKILL');
    expect(await failure).toMatch(/^PostgreSQL at 127\.0\.0\.1:\d+ cannot be used: Connection terminated/);
    await template.end();
  });
});

describe('startTemporaryPostgres', () => {
  it('leaves nothing behind', async () => {
    const server = await startTemporaryPostgres();
    const [row] = await query(server.url, `SELECT current_setting('data_directory') AS folder`);
    const { folder } = row as { folder: string };
    expect(existsSync(folder)).toBe(true);
    await server.stop();
    expect(existsSync(folder)).toBe(false);
  });
});

/** A program that starts a server, says where, or why not, and waits to be killed. */
const STARTER = `
  require('${join(__dirname, 'start-postgres.ts')}').startPostgres({ dataDir: process.argv[1], releaseWithinMs: 0 })
    .then(({ url }) => console.log(url), ({ message }) => console.log(message));
  setInterval(() => undefined, 60_000);`;

async function startElsewhere(dataDir: string): Promise<{ said: string; kill(signal: NodeJS.Signals): Promise<void> }> {
  const flags = ['--conditions=@evenkeel/source', '--require', '@swc-node/register'];
  const child = spawn(process.execPath, [...flags, '--eval', STARTER, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  };
  return { said, kill };
}
