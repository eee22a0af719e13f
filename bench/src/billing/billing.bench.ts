import { Pool } from 'pg';
import { bytesOf, CONNECTIONS, quantile, rateOf, residentMb, timesOf } from '../accounts/measures';
import { median } from '../compare/compare';
import { Connection } from '@evenkeel/rehearse/connection';
import { BillingStage } from './billing-stage';
import type { Subscriber } from './provider-events';
import { timeAccess } from './time-access';

/** Enough that no two connections wait for the turn of one customer. */
const SUBSCRIBERS = 400;
const FEW = 5;
const MANY = 400;
const TIMED = 200;
const SOAKED = 100_000;

/** Figures of one run; ratios against what was measured beside them. */
export interface BillingTiming {
  webhooksPerSecond: number;
  webhookP99Ms: number;
  /** To bare inserts of the event and of its outbox row. */
  webhookRatio: number;
  /** A webhook of a subscription with many stored events, to one with few. */
  storedEventsRatio: number;
  /** The same of an event that comes late, so that all stored ones are folded again. */
  lateEventsRatio: number;
  mePerSecond: number;
  /** To a bare Fastify. */
  meRatio: number;
  /** From a webhook until accounts serves the new tier, through Kafka and both workers: the median. */
  accessMs: number;
  startSeconds: number;
  startedMb: number | null;
  /** After so many webhooks. */
  soakedMb: number | null;
}

/**
 * Billing as the provider and people use it; about six minutes, most of them webhooks for the memory.
 * @param profileTo folder for a CPU profile
 */
export async function benchBilling(rounds: number, seconds: number, profileTo?: string): Promise<BillingTiming> {
  const accessMs = await timeAccess();
  const stage = await BillingStage.set(profileTo);
  try {
    const startedMb = await residentMb(stage.app);
    const people = Array.from({ length: SUBSCRIBERS }, () => stage.provider.subscriber());
    const rates = await timeRates(stage, people, rounds, seconds);
    const storedEventsRatio = await timeStoredEvents(stage, (subscriber) => stage.provider.renewal(subscriber));
    const lateEventsRatio = await timeStoredEvents(stage, (subscriber) => stage.provider.lateRenewal(subscriber));
    await sendWebhooks(stage, people, (sent) => sent < SOAKED);
    return {
      ...rates,
      storedEventsRatio,
      lateEventsRatio,
      accessMs,
      startSeconds: stage.startSeconds,
      startedMb,
      soakedMb: await residentMb(stage.app),
    };
  } finally {
    await stage.close();
  }
}

async function timeRates(stage: BillingStage, people: readonly Subscriber[], rounds: number, seconds: number) {
  const token = stage.token(people[0]!);
  const me = bytesOf({ method: 'GET', path: '/v1/billing/me', token });
  const echoed = bytesOf({ method: 'GET', path: '/v1/auth/me', token });
  const found = { webhooks: [] as number[], bare: [] as number[], me: [] as number[], echo: [] as number[] };
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const end = performance.now() + seconds * 1_000;
    const sent = await sendWebhooks(stage, people, () => performance.now() < end);
    const turn = {
      webhooks: sent.times.length / sent.seconds,
      bare: await bareInserts(stage.databaseUrl, seconds),
      me: await rateOf(stage.app.url, seconds, 200, () => me),
      echo: await rateOf(stage.echo.url, seconds, 200, () => echoed),
    };
    // The first round warms up.
    if (round === 0) continue;
    times.push(...sent.times);
    for (const name of Object.keys(turn) as (keyof typeof turn)[]) found[name].push(turn[name]);
  }
  const ratio = (ours: number[], limit: number[]): number => median(ours.map((rate, round) => rate / limit[round]!));
  return {
    ...{ webhooksPerSecond: median(found.webhooks), webhookP99Ms: quantile(times, 0.99) },
    ...{ webhookRatio: ratio(found.webhooks, found.bare) },
    ...{ mePerSecond: median(found.me), meRatio: ratio(found.me, found.echo) },
  };
}

/** Signed events of so many people in turn, over 16 connections, for as long as `goesOn` says. */
async function sendWebhooks(
  stage: BillingStage,
  people: readonly Subscriber[],
  goesOn: (sent: number) => boolean,
): Promise<{ times: number[]; seconds: number }> {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(stage.app.url)));
  const times: number[] = [];
  let sent = 0;
  const started = performance.now();
  await Promise.all(
    connections.map(async (connection) => {
      while (goesOn(sent)) {
        const request = stage.provider.renewal(people[sent++ % people.length]!);
        const asked = performance.now();
        const { status, body } = await connection.rawRequest(request);
        times.push(performance.now() - asked);
        if (status !== 200) throw new Error(`answered ${status}: ${body.toString().slice(0, 300)}`);
      }
    }),
  );
  for (const connection of connections) connection.close();
  return { times, seconds: (performance.now() - started) / 1_000 };
}

async function timeStoredEvents(stage: BillingStage, next: (subscriber: Subscriber) => Buffer): Promise<number> {
  const prepared = async (stored: number): Promise<Subscriber> => {
    const subscriber = stage.provider.subscriber();
    await timesOf(stage.app.url, () => stage.provider.renewal(subscriber), stored);
    return subscriber;
  };
  const many = await prepared(MANY);
  const ratios: number[] = [];
  for (let turn = 0; turn < TIMED / 10; turn++) {
    const few = await prepared(FEW);
    const ofFew = await timesOf(stage.app.url, () => next(few), 10);
    const ofMany = await timesOf(stage.app.url, () => next(many), 10);
    ratios.push(median(ofMany) / median(ofFew));
  }
  return median(ratios);
}

/** The row of an event and that of the outbox, by `pg` alone, 16 at a time. @returns pairs a second */
async function bareInserts(databaseUrl: string, seconds: number): Promise<number> {
  const pool = new Pool({ connectionString: databaseUrl, max: CONNECTIONS });
  const text = `
    WITH event AS (
      INSERT INTO provider_events (id, type, created, rank, received_at, fact, applied)
      VALUES ('bare_' || gen_random_uuid(), 'customer.subscription.updated', now(), 4, now(), $1, true) RETURNING id
    )
    INSERT INTO outbox (id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload, published_at)
    SELECT gen_random_uuid(), 'bare', id, 1, 'bare', id, now(), $1, now() FROM event`;
  const fact = JSON.stringify({ kind: 'subscription', status: 'ACTIVE', text: 'x'.repeat(400) });
  const started = performance.now();
  let rows = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() - started < seconds * 1_000) {
        await pool.query({ name: 'bare-insert', text, values: [fact] });
        rows++;
      }
    }),
  );
  await pool.end();
  return rows / ((performance.now() - started) / 1_000);
}
