import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import { FacilitatorProgram } from './facilitator-program.fixture';
import { aHome, FREE_PORTS, urlOf } from './local-run.fixture';
import { aPaidRequest, type PaidRequest } from './paid-request.fixture';
import { Program, stopPrograms } from './program.fixture';
import { send, type Answer } from './send.fixture';

const ROOT = join(__dirname, '../../../..');

let home: string;
let dataDir: string;

beforeAll(() => {
  home = aHome();
  dataDir = join(home, 'data');
});

afterAll(async () => {
  await stopPrograms();
  rmSync(home, { recursive: true, force: true });
}, 60_000);

function start(env: NodeJS.ProcessEnv): Program {
  return Program.script('start', { DATA_DIR: dataDir, ...FREE_PORTS, ...env });
}

function agent(url: string, operation: string, client: string, ...more: string[]): Program {
  return Program.script('agent', { DATA_DIR: dataDir }, [operation, '--url', url, '--client', client, ...more]);
}

/** Checks the files that `npm run agent` has saved in a folder, with the published keys. */
function verifyReceipt(url: string, folder: string): Program {
  const [receipt, request, answer] = ['receipt.jws', 'request.json', 'answer.json'].map((name) => join(folder, name));
  const line = ['verify-receipt', receipt!, '--request', request!, '--answer', answer!, '--url', url];
  return Program.script('agent', {}, line);
}

/** Its output when it did not start. */
async function refusalOf(program: Program): Promise<string> {
  expect(await program.exit).toEqual({ code: 1, signal: null });
  return program.output.slice(program.output.indexOf('Evenkeel could not start.'));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Ends it, as Ctrl-C does by default: nothing of it is left. */
async function interrupt(program: Program, signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
  const family = program.processes();
  const postgres = Number(readFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0]);
  expect(isAlive(postgres)).toBe(true);
  expect(family).toContain(postgres);
  program.kill(signal);
  expect(await program.exit).toEqual({ code: 0, signal: null });
  await eventually(() => expect(family.filter(isAlive)).toEqual([]));
}

describe('npm start', () => {
  let program: Program;
  let url: string;
  let bought: PaidRequest;
  let answer: Answer;

  beforeAll(async () => {
    program = Program.npmScript('start', { DATA_DIR: dataDir, ...FREE_PORTS });
    url = await urlOf(program);
  }, 90_000);

  it('has data sources of different names', () => expect(program.output).not.toContain('DataSourceNameRegistry'));

  it('prints what it does, and where everything is', () => {
    for (const step of ['database: starting', 'facilitator: starting', 'agent gateway: starting', 'reporting: ready']) {
      expect(program.output).toMatch(new RegExp(`\\d\\.\\d s  ${step}`));
    }
    expect(program.output).toMatch(/facilitator +http:\/\/127\.0\.0\.1:\d+, for development/);
    expect(program.output).toMatch(/database +embedded PostgreSQL, data in /);
    expect(existsSync(join(dataDir, 'postgres/cluster'))).toBe(true);
  });

  it('is healthy at the address that it prints', async () => {
    const [, health] = /health +(\S+)/.exec(program.output)!;
    const checks = {
      'agent-gateway.database': true,
      'agent-gateway.facilitator': true,
      'accounts.database': true,
      'accounts.events': true,
      'reporting.database': true,
      'reporting.events': true,
      'billing.database': true,
      'billing.events': true,
    };
    await eventually(async () => expect(await (await fetch(health!)).json()).toEqual({ status: 'ready', checks }));
  });

  it('writes down for its operator how it is reached, for this user alone', () => {
    const file = join(dataDir, 'agent-gateway.env');
    const settings = readFileSync(file, 'utf8');
    expect(settings).toMatch(/^DATABASE_URL='postgres:\/\/.*\/agent_gateway'$/m);
    expect(settings).toMatch(/^X402_RPC_URL='http:\/\/127\.0\.0\.1:\d+\/rpc'$/m);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const reporting = readFileSync(join(dataDir, 'reporting.env'), 'utf8');
    expect(reporting).toMatch(/^DATABASE_URL='postgres:\/\/.*\/reporting'\n$/);
  });

  it('is healthy to npm run doctor, all four', async () => {
    const env = { ...process.env, DATA_DIR: dataDir };
    // It fails where the command does not end with 0.
    const { stdout } = await promisify(execFile)('sh', ['tools/ops/doctor.sh'], { cwd: ROOT, env });
    expect(stdout.match(/^Nothing is wrong with \S+\.$/gm)).toHaveLength(4);
  }, 90_000);

  it('sells every operation to npm run agent, with clients of both versions', async () => {
    const purchases = PAID_ENDPOINTS.map(({ operation, priceMicros }, index) => {
      const folder = join(home, operation);
      return { priceMicros, program: agent(url, operation, index % 2 === 0 ? 'v1' : 'v2', '--save', folder) };
    });
    for (const { priceMicros, program } of purchases) {
      const ended = await program.exit;
      const complaint = ended.code === 0 ? '' : program.output;
      expect({ ...ended, complaint }).toEqual({ code: 0, signal: null, complaint: '' });
      expect(program.output).toContain(`Price        ${(priceMicros / 1_000_000).toFixed(6)} USD\nStatus       200\n`);
      expect(program.output).toMatch(
        /Transaction {2}0x[0-9a-f]{64}\nReceipt {6}\{"success":true,.*"status":"settled"\}\nSigned {7}receipt holds, key local/,
      );
    }
  }, 90_000);

  it('publishes the keys that its receipts are checked with', async () => {
    const verified = verifyReceipt(url, join(home, 'plan'));
    expect(await verified.exit).toEqual({ code: 0, signal: null });
    expect(verified.output).toMatch(
      /Receipt {6}holds[^]*Call {9}\/agent\/v1\/habits\/plan, [^]*Payment {6}settled, nonce 0x/,
    );
  }, 30_000);

  it('ends at SIGTERM to npm, the program and its database with it', async () => {
    bought = await aPaidRequest();
    answer = await send(url, bought);
    expect(answer).toMatchObject({ status: 200, receipt: { status: 'settled' } });
    await interrupt(program, 'SIGTERM');
  }, 30_000);

  it('finds its ledger again: what was paid is answered, and not charged', async () => {
    const second = start({});
    const secondUrl = await urlOf(second);
    const again = await send(secondUrl, bought);
    expect(again).toMatchObject({ status: 200, text: answer.text, receipt: answer.receipt });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('x-evenkeel-receipt')).toBe(answer.headers.get('x-evenkeel-receipt'));
    expect(await verifyReceipt(secondUrl, join(home, 'plan')).exit).toEqual({ code: 0, signal: null });
    await interrupt(second);
  }, 90_000);

  it('refuses a broken data folder, and names it', async () => {
    truncateSync(join(dataDir, 'postgres/cluster/global/pg_control'), 100);
    const refusal = await refusalOf(start({}));
    expect(refusal).toContain(`did not start with the data in ${dataDir}/postgres/cluster`);
    expect(refusal).toContain('Move the folder away');
  }, 60_000);
});

describe('npm start with services of its own choice', () => {
  let facilitator: FacilitatorProgram;
  let given: NodeJS.ProcessEnv;
  let program: Program;
  let url: string;

  beforeAll(async () => {
    facilitator = await FacilitatorProgram.start();
    given = {
      DATA_DIR: join(home, 'given'),
      DATABASE_URL: process.env.TEST_DATABASE_URL,
      FACILITATOR_URL: facilitator.url,
    };
    program = start(given);
    url = await urlOf(program);
  }, 90_000);

  it('starts none', () => {
    expect(program.output).toContain(`facilitator     ${facilitator.url}\n`);
    expect(program.output).toContain(`database        ${new URL(given.DATABASE_URL!).host}\n`);
    expect(existsSync(join(home, 'given/postgres'))).toBe(false);
  });

  it('refuses all taken ports in one message that names their settings, before it makes a database', async () => {
    const { port } = new URL(url);
    const dataDir = join(home, 'refused');
    const taken = { PORT: port, INTERNAL_PORT: port, DATABASE_URL: undefined, DATA_DIR: dataDir };
    const refusal = await refusalOf(start({ ...given, ...taken }));
    for (const variable of ['PORT', 'INTERNAL_PORT']) {
      expect(refusal).toContain(`taken by another process. Stop it or set ${variable} to a free port`);
    }
    expect(existsSync(dataDir)).toBe(false);
  }, 60_000);

  it('in production refuses to begin without the settings that move real money', async () => {
    const refusal = await refusalOf(start({ ...given, FACILITATOR_URL: undefined, NODE_ENV: 'production' }));
    for (const name of ['X402_PAY_TO', 'X402_RPC_URL', 'ANSWER_KEYS', 'RECEIPT_KEYS'])
      expect(refusal).toContain(`- ${name} `);
  }, 60_000);

  it('in production starts no development facilitator', async () => {
    const production = start({
      ...given,
      NODE_ENV: 'production',
      FACILITATOR_URL: undefined,
      X402_PAY_TO: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
      X402_RPC_URL: 'none',
      ANSWER_KEYS: `e2e:${Buffer.alloc(32).toString('base64')}`,
      RECEIPT_KEYS: `e2e:${Buffer.alloc(32, 1).toString('base64')}`,
      JWT_KEYS: `e2e:${Buffer.alloc(32, 2).toString('base64')}`,
      REFRESH_TOKEN_KEYS: `e2e:${Buffer.alloc(32, 3).toString('base64')}`,
      SMTP_URL: 'none',
    });
    const answer = await send(await urlOf(production), await aPaidRequest());
    expect(production.output).toMatch(/facilitator +none: set FACILITATOR_URL/);
    expect(answer).toMatchObject({ status: 502, body: { error: 'payment_verification_unavailable' } });
    expect(answer.headers.get('retry-after')).toBe('2');
  }, 60_000);
});
