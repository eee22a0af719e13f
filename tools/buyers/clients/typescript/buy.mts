/** Makes a paid call with the types that openapi-typescript makes of the document. */
import createClient from 'openapi-fetch';
import type { paths } from './openapi.js';

const { SELLER, PAYMENT, NONCE } = process.env as Record<string, string>;
const client = createClient<paths>({ baseUrl: SELLER });
const body = { habits: [{ name: 'Read 20 minutes', completion_rate: 0.46, current_streak: 0, best_streak: 12 }] };
const path = '/agent/v1/habits/recommend';

const unpaid = await client.POST(path, { body });
if (!unpaid.error || !('price' in unpaid.error)) throw new Error('There is no offer.');
const paid = await client.POST(path, { body, params: { header: { 'PAYMENT-SIGNATURE': PAYMENT } } });
if (!paid.data) throw new Error(`Not paid: ${JSON.stringify(paid.error)}`);
const { data: status } = await client.GET('/agent/v1/payments/{nonce}', { params: { path: { nonce: NONCE! } } });

console.log(
  JSON.stringify({
    price: unpaid.error.price.usd_exact,
    habits: paid.data.generated_for_habits,
    action: paid.data.recommendations[0]!.action,
    charged: status!.charged,
    transaction: status!.transaction,
  }),
);
