import {
  CLOUD_EVENTS_VERSION,
  EVENT_CONTENT_TYPE,
  EVENT_HEADERS,
  PAYMENTS_STREAM,
  PaymentSettled,
} from '@evenkeel/contracts';
import type { ReceivedMessage } from '@evenkeel/platform/messaging';
import type { ClientBase } from 'pg';

const H = EVENT_HEADERS;

const SETTLED = `
  SELECT jsonb_build_object('paymentId', id, 'wallet', wallet, 'endpoint', endpoint, 'amountMicros', amount_micros,
    'chainId', chain_id, 'asset', asset, 'transactionHash', transaction_hash, 'verifiedAt', ${iso('verified_at')},
    'settledAt', ${iso('settled_at')}, 'tier', tier, 'rebateMicros', rebate_micros,
    'attributedCostMicros', attributed_cost_micros, 'requestId', request_id)::text AS data,
    id, wallet, ${iso('settled_at')} AS at
  FROM sample ORDER BY verified_at, id`;

function iso(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** The settled payments of the table `sample` as the gateway told of them. */
export async function ledgerMessages(client: ClientBase): Promise<ReceivedMessage[]> {
  const { rows } = await client.query<{ data: string; id: string; wallet: string; at: string }>(SETTLED);
  const sequences = new Map<string, number>();
  return rows.map(({ data, id, wallet, at }, index) => {
    const sequence = (sequences.get(wallet) ?? 0) + 1;
    sequences.set(wallet, sequence);
    const headers = {
      [H.contentType]: EVENT_CONTENT_TYPE,
      [H.specVersion]: CLOUD_EVENTS_VERSION,
      [H.id]: id,
      [H.type]: PaymentSettled.type,
      [H.source]: '/agent-gateway',
      [H.subject]: id,
      [H.time]: at,
      [H.partitionKey]: wallet,
      [H.sequence]: String(sequence),
    };
    return { topic: PAYMENTS_STREAM, partition: 0, offset: String(index), key: wallet, headers, value: data };
  });
}
