import { Client } from 'pg';

const LOOKS = 5;

/** Sessions are shared: what holds for one ends, or goes to somebody else, without a word. */
export class SharedSession extends Error {
  override readonly name = 'SharedSession';

  constructor() {
    super(
      'DATABASE_URL leads to a pooler that shares sessions, so LISTEN and locks of a session do not hold: ' +
        'set pool_mode = session there, or name PostgreSQL itself',
    );
  }
}

/**
 * Makes sure that a connection keeps its process of PostgreSQL to itself, as without a pooler or behind one in session mode.
 * In transaction mode the process that one connection has just used is the first that the next one gets.
 * @param client connected
 * @param another not connected yet, to the same address; it is ended
 * @throws SharedSession
 */
export async function assertOwnSession(client: Client, another: Client): Promise<void> {
  another.on('error', () => undefined);
  try {
    await another.connect();
    const ours = new Set<number>();
    for (let look = 0; look < LOOKS; look++) {
      ours.add(await processOf(client));
      if (ours.size > 1 || ours.has(await processOf(another))) throw new SharedSession();
    }
  } finally {
    void another.end().catch(() => undefined);
  }
}

async function processOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]!.pid;
}
