import { audit } from '@evenkeel/ops/audit';
import { eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { FacilitatorProgram } from './facilitator-program.fixture';
import { gatewayDatabase, gatewayEnv, startGateway, type Gateway } from './gateway-programs.fixture';
import { aPaidRequest, type PaidRequest } from './paid-request.fixture';
import { Program, stopPrograms } from './program.fixture';
import { send } from './send.fixture';

const HASH = /transaction (0x[0-9a-f]{64})/;

let database: TestDatabase;
let facilitator: FacilitatorProgram;
let gateway: Gateway;
let open: PaidRequest;
let paidBy: number;

beforeAll(async () => {
  [database, facilitator] = await Promise.all([gatewayDatabase(), FacilitatorProgram.start()]);
  gateway = await startGateway(gatewayEnv(database, facilitator));
  expect((await send(gateway.url, await aPaidRequest())).status).toBe(200);
  // No worker runs: what became of this one, only the chain knows.
  open = await aPaidRequest();
  await facilitator.control({ mode: 'settled-but-answer-lost', count: 1 });
  expect((await send(gateway.url, open)).body).toMatchObject({ error: 'settlement_unknown' });
  paidBy = Date.now();
}, 90_000);

afterAll(async () => {
  await stopPrograms();
  await database?.drop();
}, 60_000);

async function command(name: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const env = { ...gatewayEnv(database, facilitator), RECONCILE_LOOK_BACK_HOURS: '1', OPERATOR: 'ada' };
  const program = Program.script(name, env, args);
  return { code: (await program.exit).code, output: program.output };
}

/** It ends with the newest confirmed block: asked again until that is younger than the last payment. */
function reconcile(): ReturnType<typeof command> {
  const ask = async () => {
    const report = await command('reconcile', '--until', new Date().toISOString());
    const [, end] = /^Payments from \S+ to (\S+)$/m.exec(report.output)!;
    expect(new Date(end!).getTime()).toBeGreaterThan(paidBy);
    return report;
  };
  return eventually(ask, { withinMs: 30_000 });
}

it('they explain themselves without any setting', async () => {
  const names = ['reconcile', 'payment:close'];
  const programs = names.map((name) => Program.script(name, {}, ['--help']));
  for (const [index, program] of programs.entries()) {
    expect((await program.exit).code).toBe(0);
    expect(program.output).toContain(`npm run ${names[index]} --`);
  }
}, 60_000);

it('a difference is found, closed by hand, and gone', async () => {
  const found = await reconcile();
  expect(found.output).toContain('Ledger and chain: 1 matched, 0 ours only, 1 theirs only');
  expect(found.code).toBe(1);
  const [, hash] = HASH.exec(found.output)!;

  const wrong = await command('payment:close', open.payer, open.nonce, open.nonce);
  expect([wrong.code, wrong.output]).toEqual([1, expect.stringContaining('does not know the transaction')]);
  const closed = await command('payment:close', open.payer, open.nonce, hash!);
  expect([closed.code, closed.output]).toEqual([0, expect.stringContaining(`is settled by ${hash}`)]);

  const agreed = await reconcile();
  expect(agreed.output).toContain('Everything agrees.');
  expect(agreed.code).toBe(0);
  expect(await audit(database.dataSource)).toEqual([]);
  const steps = await database.dataSource.query('SELECT operator, step FROM operator_actions ORDER BY occurred_at, id');
  expect(steps).toEqual(['refused', 'begun', 'done'].map((step) => ({ operator: 'ada', step })));
}, 180_000);
