import { setTimeout as sleep } from 'node:timers/promises';
import { requestReplay } from '@evenkeel/platform/messaging';
import type { ClientBase } from 'pg';

const LOOK_EVERY_MS = 200;
const OPEN = 'SELECT count(*)::integer AS open FROM parked WHERE consumer = $1 AND replay_requested_at IS NOT NULL';
const LEFT = `
  SELECT aggregate, count(*)::integer AS waiting, min(reason) AS reason
  FROM parked WHERE consumer = $1 GROUP BY aggregate ORDER BY aggregate`;

interface ReplayOptions {
  consumer: string;
  withinSeconds: number;
  listOnly: boolean;
}

/**
 * Asks the worker to try what is parked, and waits for its verdict.
 * @returns a line for each aggregate that is still parked
 * @throws Error when no worker took the request
 */
export async function replay(
  database: ClientBase,
  { consumer, withinSeconds, listOnly }: ReplayOptions,
): Promise<string[]> {
  if (!listOnly) await tryAgain(database, consumer, withinSeconds);
  const { rows } = await database.query<{ aggregate: string; waiting: number; reason: string | null }>(LEFT, [
    consumer,
  ]);
  return rows.map(({ aggregate, waiting, reason }) => `  ${aggregate}  ${waiting} events  ${reason ?? ''}`.trimEnd());
}

async function tryAgain(database: ClientBase, consumer: string, withinSeconds: number): Promise<void> {
  const query = async <Row>(text: string, values?: unknown[]) => (await database.query(text, values)).rows as Row;
  await requestReplay({ query }, consumer);
  const deadline = performance.now() + withinSeconds * 1_000;
  for (;;) {
    const { rows } = await database.query<{ open: number }>(OPEN, [consumer]);
    if (rows[0]!.open === 0) return;
    if (performance.now() >= deadline) {
      throw new Error(
        `${rows[0]!.open} events still wait after ${withinSeconds} s: is the worker of ${consumer} running?`,
      );
    }
    await sleep(LOOK_EVERY_MS);
  }
}
