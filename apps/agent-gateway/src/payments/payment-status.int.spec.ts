import { randomBytes } from 'node:crypto';
import { aGateway } from '../gateway.fixture';
import { FindPayments } from '../ledger/find-payments';

const gateway = aGateway();

const ask = (nonce: string, query = '') => gateway.send(`/agent/v1/payments/${nonce}${query}`);
const issuesOf = ({ status, body }: Awaited<ReturnType<typeof ask>>) => [
  status,
  (body.details?.issues as { path: string; code: string }[] | undefined)?.map(({ path, code }) => `${path} ${code}`),
];

async function aPaidCall() {
  const payment = await gateway.aBuyer().sign();
  expect((await gateway.pay(payment)).status).toBe(200);
  return payment;
}

it('yes, and the answer can be repeated; nothing is said that only the payer may know', async () => {
  const { nonce, authorization } = await aPaidCall();
  const row = await gateway.ledger.payment(nonce);
  const { status, headers, body, text } = await ask(nonce.toUpperCase().replace('X', 'x'));
  const [cache, origins] = [headers.get('cache-control'), headers.get('access-control-allow-origin')];
  expect([status, cache, origins]).toEqual([200, 'no-store', '*']);
  expect(body).toEqual({
    nonce,
    payer: authorization.from,
    endpoint: '/agent/v1/habits/analyze',
    amount: { usd: 0.05, usd_exact: '0.050000' },
    amount_atomic: '50000',
    state: 'settled',
    charged: true,
    transaction: row.transactionHash,
    answer_available_until: new Date(gateway.clock.now().getTime() + 3_600_000).toISOString(),
    retry: 'retry_same',
  });
  for (const secret of [row.fingerprint, row.signature, row.id, row.requestId]) expect(text).not.toContain(secret);
  gateway.clock.advanceMs(3_600_000);
  const later = { charged: true, answer_available_until: null, retry: 'do_not_retry' };
  expect((await ask(nonce)).body).toMatchObject(later);
});

it.each<[string, string, unknown, string]>([
  ['still settling', `state = 'settling', settled_at = NULL`, null, 'retry_same'],
  ['pending', `state = 'settlement_pending', settled_at = NULL`, null, 'retry_same'],
  ['to be reconciled', `state = 'needs_reconciliation', settled_at = NULL`, null, 'retry_same'],
  ['failed', `state = 'settlement_failed', settled_at = NULL`, false, 'pay_again'],
  ['settled and never answered', `served = false`, true, 'retry_same'],
])('%s', async (_, change, charged, retry) => {
  const { nonce } = await aPaidCall();
  await gateway.query('DELETE FROM payment_answers');
  await gateway.query(`UPDATE payments SET ${change} WHERE nonce = $1`, [nonce]);
  expect((await ask(nonce)).body).toMatchObject({ charged, retry, answer_available_until: null });
});

it('failed after it was answered: the answer is not available, as the identical request finds too', async () => {
  const payment = await aPaidCall();
  const failed = `UPDATE payments SET state = 'settlement_failed', settled_at = NULL WHERE nonce = $1`;
  await gateway.query(failed, [payment.nonce]);
  expect((await gateway.pay(payment)).body.error).toBe('settlement_failed');
  const status = { charged: false, retry: 'pay_again', answer_available_until: null };
  expect((await ask(payment.nonce)).body).toMatchObject(status);
});

it('a nonce of several payers: the payer must be named', async () => {
  const { nonce } = await aPaidCall();
  const other = gateway.aBuyer();
  await gateway.pay(await other.sign({ authorization: { nonce } }));
  expect(issuesOf(await ask(nonce))).toEqual([400, ['/payer required']]);
  const named = await ask(nonce, `?payer=${other.wallet.toUpperCase().replace('X', 'x')}`);
  expect(named.body).toMatchObject({ nonce, charged: true });
  expect((await ask(nonce, `?payer=${gateway.aBuyer().wallet}`)).status).toBe(404);
});

it.each([
  ['a nonce that is none', '0x12', '', '/nonce bad_format'],
  ['a payer that is none', `0x${'ab'.repeat(32)}`, '?payer=me', '/payer bad_format'],
  ['two payers', `0x${'ab'.repeat(32)}`, '?payer=a&payer=b', '/payer bad_format'],
])('400 for %s', async (_, nonce, query, issue) => expect(issuesOf(await ask(nonce, query))).toEqual([400, [issue]]));

it('404 for a nonce that never reached settle; 503 while the ledger does not answer', async () => {
  const { status, body } = await ask(`0x${randomBytes(32).toString('hex')}`);
  expect([status, body.error, body.details]).toEqual([404, 'not_found', { charged: false, retry: 'do_not_retry' }]);
  const broken = jest.spyOn(gateway.app.get(FindPayments), 'byNonce').mockRejectedValue(new Error('gone'));
  const away = await ask(`0x${randomBytes(32).toString('hex')}`);
  broken.mockRestore();
  expect([away.status, away.body.error, away.headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1']);
});
