import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { nonceOf } from '../../projection/history.fixture';
import { WALLET } from '../story.fixture';
import { paymentsFile } from './export-payments';
import { PaymentsFileQuery } from './payments-query';

const ASSET = `0x${'1'.repeat(40)}`;
const HASH = `0x${'7'.repeat(64)}`;

const SETTLED = {
  status: 'settled',
  endpoint: '/agent/v1/habits/analyze',
  amount_micros: 50_000,
  reason: null as string | null,
  transaction_hash: HASH as string | null,
  settled_at: '2026-02-10T11:00:00.250Z' as string | null,
  failed_at: null as string | null,
  tier: 'tier_1' as string | null,
  rebate_micros: 2_500,
  wallet: WALLET,
};
const FAILED = {
  ...SETTLED,
  status: 'settlement_failed',
  amount_micros: 9_007_199_254,
  reason: 'refused, "twice"',
  transaction_hash: null,
  settled_at: null,
  failed_at: '2026-02-10T11:30:00.000Z',
  tier: null,
  rebate_micros: 0,
  wallet: `0x${'2'.repeat(40)}`,
};

/** By hand, what the file says of each. */
function lineOf({ status }: typeof SETTLED, id: string, at: string, request: string): string {
  const beginning = `${id},${at},/agent/v1/habits/analyze`;
  return status === 'settled'
    ? `${beginning},0.050000,50000,0x857b06519E91e3A54538791bDbb0E22373e36b66,eip155:8453,${ASSET},${HASH},settled,` +
        `2026-02-10T11:00:00.250Z,0.002500,${request},${nonceOf(id)},0.000400,tier_1,true,,,`
    : `${beginning},9007.199254,9007199254,0x${'2'.repeat(40)},eip155:8453,${ASSET},,settlement_failed,,0.000000,` +
        `${request},${nonceOf(id)},0.000400,,true,"refused, ""twice""",2026-02-10T11:30:00.000Z,`;
}

const INSERT = `
  INSERT INTO payments (id, wallet, endpoint, amount_micros, chain_id, asset, status, verified_at, settled_at, failed_at,
    served, reason, transaction_hash, tier, rebate_micros, attributed_cost_micros, request_id, nonce)
  SELECT id, wallet, endpoint, amount_micros, 8453, $2, status, verified_at, settled_at, failed_at, true, reason,
    transaction_hash, tier, rebate_micros, 400, request_id, nonce
  FROM jsonb_populate_recordset(NULL::payments, $1)`;
const INSERTED_AT_ONCE = 2_000;

/**
 * Payments of one day without their rollups; more than 20,000 do not fit into the buffers between a database and a reader who
 * does not read.
 * @returns their file, newest first
 */
export async function manyPayments(dataSource: DataSource, count: number): Promise<string> {
  await dataSource.query(`SELECT add_payments_month('2026-02-01T00:00:00Z')`);
  const newest = Date.parse('2026-02-10T10:00:00.000Z');
  const payments = Array.from({ length: count }, (_, place) => {
    const row = place % 2 === 0 ? SETTLED : FAILED;
    const [id, request] = [randomUUID(), `request-${place}`];
    const at = new Date(newest - place).toISOString();
    const made = { ...row, id, verified_at: at, request_id: request, nonce: nonceOf(id) };
    return { made, line: lineOf(row, id, at, request) };
  });
  for (let begin = 0; begin < count; begin += INSERTED_AT_ONCE) {
    const rows = payments.slice(begin, begin + INSERTED_AT_ONCE).map(({ made }) => made);
    await dataSource.query(INSERT, [JSON.stringify(rows), ASSET]);
  }
  const titles = Object.keys(paymentsFile(new PaymentsFileQuery()).columns);
  return [titles.join(','), ...payments.map(({ line }) => line), ''].join('\r\n');
}
