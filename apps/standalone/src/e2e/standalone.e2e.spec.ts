import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CLIENT_KINDS } from '@evenkeel/agent';
import { APP_NAMES, PAID_ENDPOINTS } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import { FacilitatorProgram } from './facilitator-program.fixture';
import { aHome, FREE_PORTS, urlOf } from './local-run.fixture';
import { aPaidRequest, send, type Answer, type PaidRequest } from './paid-request.fixture';
import { PAY_TO, Program, stopPrograms } from './programs.fixture';

const ROOT = join(__dirname, '../../../..');

jest.setTimeout(90_000);

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

const start = (env: NodeJS.ProcessEnv) => Program.script('start', { DATA_DIR: dataDir, ...FREE_PORTS, ...env });

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

/** Ends it: nothing of it is left. */
async function interrupt(program: Program, signal: NodeJS.Signals): Promise<void> {
  const family = program.processes();
  const postgres = Number(readFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0]);
  expect([isAlive(postgres), family.includes(postgres)]).toEqual([true, true]);
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
  });

  it('prints what it does and where everything is, and is healthy there', async () => {
    for (const step of ['database: starting', 'facilitator: starting', 'agent gateway: starting', 'reporting: ready']) {
      expect(program.output).toMatch(new RegExp(`\\d\\.\\d s  ${step}`));
    }
    expect(program.output).toMatch(/facilitator +http:\/\/127\.0\.0\.1:\d+, for development/);
    expect(program.output).toMatch(/database +embedded PostgreSQL, data in /);
    expect(program.output).not.toContain('DataSourceNameRegistry');
    const [, health] = /health +(\S+)/.exec(program.output)!;
    const checks = ['facilitator', 'events', 'events', 'events'].flatMap((last, at) => {
      const service = ['agent-gateway', 'accounts', 'reporting', 'billing'][at]!;
      return [`${service}.database`, `${service}.${last}`].map((name) => [name, true]);
    });
    const ready = { status: 'ready', checks: Object.fromEntries(checks) as object };
    await eventually(async () => expect(await (await fetch(health!)).json()).toEqual(ready));
  });

  it('writes down for its operator how it is reached, for this user alone, and is well by npm run doctor', async () => {
    const file = join(dataDir, 'agent-gateway.env');
    const settings = readFileSync(file, 'utf8');
    expect(settings).toMatch(/^DATABASE_URL='postgres:\/\/.*\/agent_gateway'$/m);
    expect(settings).toMatch(/^X402_RPC_URL='http:\/\/127\.0\.0\.1:\d+\/rpc'$/m);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const env = { ...process.env, DATA_DIR: dataDir };
    // It fails where the command does not end with 0.
    const { stdout } = await promisify(execFile)('sh', ['tools/ops/doctor.sh'], { cwd: ROOT, env });
    expect(stdout.match(/^Nothing is wrong with \S+\.$/gm)).toHaveLength(APP_NAMES.length);
  });

  it('sells every operation to npm run agent, with every kind of client, and signs receipts that hold', async () => {
    const purchases = PAID_ENDPOINTS.map(({ operation, priceMicros }, index) => {
      const client = CLIENT_KINDS[index % CLIENT_KINDS.length]!;
      const line = [operation, '--url', url, '--client', client, '--save', join(home, operation)];
      return { priceMicros, program: Program.script('agent', { DATA_DIR: dataDir }, line) };
    });
    for (const { priceMicros, program } of purchases) {
      const ended = await program.exit;
      expect({ ...ended, output: program.output }).toEqual({
        code: 0,
        signal: null,
        output: expect.stringContaining(`Price        ${(priceMicros / 1_000_000).toFixed(6)} USD\nStatus       200\n`),
      });
      expect(program.output).toMatch(
        /Transaction {2}0x[0-9a-f]{64}\nReceipt {6}\{"success":true,.*"status":"settled"\}\nSigned {7}receipt holds, key local/,
      );
    }
  });

  it('ends at SIGTERM to npm, the program and its database with it', async () => {
    bought = await aPaidRequest();
    answer = await send(url, bought);
    expect(answer).toMatchObject({ status: 200, receipt: { status: 'settled' } });
    await interrupt(program, 'SIGTERM');
  });

  it('finds its ledger and its keys again: what was paid is answered, and not charged', async () => {
    const second = start({});
    const secondUrl = await urlOf(second);
    const again = await send(secondUrl, bought);
    expect(again).toMatchObject({ status: 200, text: answer.text, receipt: answer.receipt });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const [receipt, ...files] = ['receipt.jws', 'request.json', 'answer.json'].map((name) => join(home, 'plan', name));
    const line = ['verify-receipt', receipt!, '--request', files[0]!, '--answer', files[1]!, '--url', secondUrl];
    const verified = Program.script('agent', {}, line);
    expect(await verified.exit).toEqual({ code: 0, signal: null });
    expect(verified.output).toMatch(/Receipt {6}holds[^]*Call {9}\/agent\/v1\/habits\/plan, [^]*Payment {6}settled/);
    await interrupt(second, 'SIGINT');
  });
});

describe('npm start with services of its own choice', () => {
  let given: NodeJS.ProcessEnv;
  let url: string;

  it('starts none', async () => {
    const { settings } = await FacilitatorProgram.start();
    given = { DATA_DIR: join(home, 'given'), DATABASE_URL: process.env.TEST_DATABASE_URL, ...settings };
    const program = start(given);
    url = await urlOf(program);
    expect(program.output).toContain(`facilitator     ${settings.FACILITATOR_URL}\n`);
    expect(program.output).toContain(`database        ${new URL(given.DATABASE_URL!).host}\n`);
    expect(existsSync(join(home, 'given/postgres'))).toBe(false);
  });

  it('refuses all taken ports in one message that names their settings, before it makes a database', async () => {
    const { port } = new URL(url);
    const folder = join(home, 'refused');
    const taken = { PORT: port, INTERNAL_PORT: port, DATABASE_URL: undefined, DATA_DIR: folder };
    const refusal = await refusalOf(start({ ...given, ...taken }));
    for (const variable of ['PORT', 'INTERNAL_PORT']) {
      expect(refusal).toContain(`taken by another process. Stop it or set ${variable} to a free port`);
    }
    expect(existsSync(folder)).toBe(false);
  });

  it('in production needs the settings that move real money, and starts no development facilitator', async () => {
    const production = { ...given, NODE_ENV: 'production', FACILITATOR_URL: undefined, X402_RPC_URL: undefined };
    const refusal = await refusalOf(start(production));
    for (const name of ['X402_PAY_TO', 'X402_RPC_URL', 'ANSWER_KEYS', 'RECEIPT_KEYS']) {
      expect(refusal).toContain(`- ${name} `);
    }
    const keys = ['ANSWER_KEYS', 'RECEIPT_KEYS', 'JWT_KEYS', 'REFRESH_TOKEN_KEYS'].map((name, at) => {
      return [name, `e2e:${Buffer.alloc(32, at + 1).toString('base64')}`];
    });
    const needed = { X402_PAY_TO: PAY_TO, X402_RPC_URL: 'none', SMTP_URL: 'none' };
    const program = start({ ...production, ...(Object.fromEntries(keys) as object), ...needed });
    const answer = await send(await urlOf(program), await aPaidRequest());
    expect(program.output).toMatch(/facilitator +none: set FACILITATOR_URL/);
    expect(answer).toMatchObject({ status: 502, body: { error: 'payment_verification_unavailable' } });
    expect(answer.headers.get('retry-after')).toBe('2');
  });
});
