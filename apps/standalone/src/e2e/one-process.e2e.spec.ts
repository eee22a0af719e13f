import { audit } from '@evenkeel/ops/audit';
import type { TestDatabase } from '@evenkeel/platform/testing';
import { FacilitatorProgram } from './facilitator-program.fixture';
import { gatewayDatabase, gatewayEnv, startGateway, type Gateway } from './gateway-programs.fixture';
import { aPaidRequest, type PaidRequest } from './paid-request.fixture';
import { stopPrograms } from './program.fixture';
import { send, type Answer } from './send.fixture';

const COPIES = 20;
const ROUNDS = [1, 2, 3];

let database: TestDatabase;
let facilitator: FacilitatorProgram;
/** Two replicas: one database, one facilitator. */
let gateways: [Gateway, Gateway];

beforeAll(async () => {
  [database, facilitator] = await Promise.all([gatewayDatabase(), FacilitatorProgram.start()]);
  const env = gatewayEnv(database, facilitator);
  gateways = await Promise.all([startGateway(env), startGateway(env)]);
  // Long enough for all copies to arrive while the first is at work.
  await facilitator.control({ mode: 'slow', on: ['verify', 'settle'], ms: 500 });
}, 90_000);

afterAll(async () => {
  await stopPrograms();
  await database?.drop();
}, 60_000);

function sendCopies(request: PaidRequest, to: readonly Gateway[]): Promise<Answer[]> {
  return Promise.all(Array.from({ length: COPIES }, (_, copy) => send(to[copy % to.length]!.url, request)));
}

async function rowsOf({ nonce }: PaidRequest): Promise<{ state: string; served: boolean }[]> {
  return database.dataSource.query(`SELECT state, served FROM payments WHERE nonce = $1`, [nonce]);
}

/** Every copy has the same answer; all but the first are marked as replays. */
function expectOneAnswer(answers: Answer[]): void {
  const [first] = answers;
  const { text, receipt } = first!;
  for (const answer of answers) expect(answer).toMatchObject({ status: 200, text, receipt });
  expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') !== 'true')).toHaveLength(1);
}

describe.each(ROUNDS)('20 copies of a paid request at once, round %i', () => {
  it('at one process: one verify, one settle, one row, one answer', async () => {
    const request = await aPaidRequest();
    const answers = await sendCopies(request, [gateways[0]]);

    expectOneAnswer(answers);
    expect(await rowsOf(request)).toEqual([{ state: 'settled', served: true }]);
    const { payments, settlements } = await facilitator.ledger(request.nonce);
    expect(payments).toMatchObject([{ verify: 1, settle: 1 }]);
    expect(settlements).toHaveLength(1);
  });

  it('at two processes: each verifies, one settles, one row, one answer', async () => {
    const request = await aPaidRequest();
    const answers = await sendCopies(request, gateways);

    expectOneAnswer(answers);
    expect(await rowsOf(request)).toEqual([{ state: 'settled', served: true }]);
    const { payments, settlements } = await facilitator.ledger(request.nonce);
    expect(payments).toMatchObject([{ verify: 2, settle: 1, bodies: 1 }]);
    expect(settlements).toHaveLength(1);
  });
});

it('leaves no row that the audit objects to', async () => {
  expect(await audit(database.dataSource)).toEqual([]);
});
