import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase } from 'pg';

const LOOK_EVERY_MS = 500;

/** What is read and looked at once a second, as long as a worker is there. */
const LOOK = `
  SELECT r.rewound_at IS NOT NULL AS begun, p.applied::float8 AS applied, p.unread::float8 AS unread,
    p.checked_at > r.rewound_at AND p.unread = 0 AS done,
    extract(epoch FROM now() - greatest(p.checked_at, r.rewound_at))::float8 AS "silentSeconds",
    (SELECT count(DISTINCT aggregate)::integer FROM parked) AS parked
  FROM rebuilds r, progress p WHERE r.id = $1`;

interface Look {
  begun: boolean;
  applied: number;
  unread: number;
  done: boolean | null;
  silentSeconds: number | null;
  parked: number;
}

export interface RebuildOptions {
  /** How long to wait for a worker, at the beginning and whenever it falls silent. */
  withinSeconds: number;
  report: (line: string) => void;
}

/** No worker took the request, or it fell silent. The request stays open. */
export class NoWorker extends Error {}

/**
 * Asks the running worker to build the projection anew, and follows it to the end of the stream.
 * @returns how many events are applied, and how many wallets wait behind an event that cannot be
 * @throws NoWorker
 */
export async function rebuild(
  database: ClientBase,
  { withinSeconds, report }: RebuildOptions,
): Promise<{ applied: number; parked: number }> {
  const asked = await database.query<{ id: string }>('INSERT INTO rebuilds DEFAULT VALUES RETURNING id');
  const deadline = performance.now() + withinSeconds * 1_000;
  let said = '';
  for (;;) {
    const { rows } = await database.query<Look>(LOOK, [asked.rows[0]!.id]);
    const look = rows[0]!;
    if (look.done) return look;
    if (!look.begun && performance.now() >= deadline) throw new NoWorker(neverTaken(withinSeconds));
    if (look.begun && look.silentSeconds! > withinSeconds) throw new NoWorker(fellSilent(look));
    const line = look.begun ? progressOf(look) : 'waiting for the worker to begin anew';
    if (line !== said) report((said = line));
    await sleep(LOOK_EVERY_MS);
  }
}

function progressOf({ applied, unread }: Look): string {
  return `${applied} events applied, ${unread} to read`;
}

function neverTaken(withinSeconds: number): string {
  return `No worker of reporting has begun within ${withinSeconds} s: is one running? The request stays: the next one that starts begins anew.`;
}

function fellSilent({ applied, unread }: Look): string {
  return `The worker has fallen silent after ${applied} events, with ${unread} to read. It goes on there when it starts again.`;
}
