import { createHmac } from 'node:crypto';

/**
 * The `Stripe-Signature` header of a webhook.
 * @param at time of sending; written in seconds
 */
export function signWebhook(body: Buffer | string, secret: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000);
  const signature = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  return `t=${seconds},v1=${signature}`;
}
