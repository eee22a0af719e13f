import { setTimeout as sleep } from 'node:timers/promises';
import { bytesOf } from '../accounts/measures';
import { median } from '../compare/compare';
import { Connection } from '@evenkeel/rehearse/connection';
import { AccessStage, type Payer } from './access-stage';

const PEOPLE = 50;
/** Readers join their groups at first. */
const JOINED_WITHIN_MS = 120_000;
const WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 2;

/**
 * From the moment at which a webhook is sent until accounts answers with the tier that it gives: billing, its relay, Kafka,
 * the worker of accounts, and what their databases take.
 * @returns milliseconds, the median of fifty people, one after the other
 */
export async function timeAccess(): Promise<number> {
  const stage = await AccessStage.set();
  try {
    const accounts = await Connection.open(stage.accounts.url);
    const billing = await Connection.open(stage.billing.url);
    const upgrade = async ({ subscriber, token }: Payer, withinMs: number): Promise<number> => {
      const started = performance.now();
      const { status, body } = await billing.rawRequest(stage.provider.renewal(subscriber));
      if (status !== 200) throw new Error(`a webhook was answered with ${status}: ${body.toString().slice(0, 300)}`);
      while ((await tierOf(accounts, token)) !== 'PREMIUM') {
        if (performance.now() - started > withinMs) throw new Error('accounts does not hear of a subscription');
        await sleep(LOOK_EVERY_MS);
      }
      return performance.now() - started;
    };
    await upgrade(await stage.payer(), JOINED_WITHIN_MS);
    const times: number[] = [];
    for (let person = 0; person < PEOPLE; person++) times.push(await upgrade(await stage.payer(), WITHIN_MS));
    for (const connection of [accounts, billing]) connection.close();
    return median(times);
  } finally {
    await stage.close();
  }
}

async function tierOf(accounts: Connection, token: string): Promise<string> {
  const { status, body } = await accounts.rawRequest(bytesOf({ method: 'GET', path: '/v1/auth/me', token }));
  if (status !== 200) throw new Error(`accounts answered with ${status}: ${body.toString().slice(0, 300)}`);
  return (JSON.parse(body.toString()) as { tier: string }).tier;
}
