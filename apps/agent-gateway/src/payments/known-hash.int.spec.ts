import { audit } from '@evenkeel/ops/audit';
import { StubFacilitator } from '../facilitator/stub-facilitator.fixture';
import { startGateway, type Gateway } from '../gateway.fixture';
import { settlementResponseIn } from './payment.fixture';

const HASH = `0x${'5a'.repeat(32)}`;

const facilitator = new StubFacilitator();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ settings: { FACILITATOR_URL: await facilitator.start() } });
});
afterAll(async () => {
  await gateway.close();
  await facilitator.close();
});

/** Verifies every payment; gives the listed settle outcomes one after the other. */
function settles(...answers: object[]): void {
  facilitator.behave = ({ path }, response) => {
    const answer = path.endsWith('/settle') ? answers.shift() : { isValid: true };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}));
  };
}

it('a success without a hash keeps the known hash', async () => {
  const failed = { success: false, errorReason: 'settle_exact_node_failure', transaction: HASH };
  settles(failed, { success: true, transaction: '' });
  const payment = await gateway.aBuyer().sign();
  expect((await gateway.pay(payment)).status).toBe(502);
  expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ transactionHash: HASH });

  const { status, headers } = await gateway.pay(payment);
  expect([status, settlementResponseIn(headers)?.['transaction']]).toEqual([200, HASH]);
  expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settled', transactionHash: HASH });
  expect((await gateway.ledger.events(payment.nonce)).at(-1)).toMatchObject({ transactionHash: HASH, tier: 'base' });
  expect((await gateway.send(`/agent/v1/payments/${payment.nonce}`)).text).toContain(HASH);
  expect(settlementResponseIn((await gateway.pay(payment)).headers)).toMatchObject({
    status: 'settled',
    transaction: HASH,
  });
  expect(await audit(gateway.ledger.dataSource)).toEqual([]);
});
