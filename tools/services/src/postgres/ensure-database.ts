import { Client } from 'pg';

/** The process may be busy with the start of other things. */
const CONNECT_MS = 30_000;
const DUPLICATE_DATABASE = '42P04';

/**
 * Makes a database of this name on a server where there is none yet.
 * @param serverUrl of any database of the server, with the right to make others
 * @returns address of the database
 * @throws Error with a sentence that names the server
 */
export async function ensureDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new Client({ connectionString: serverUrl, connectionTimeoutMillis: CONNECT_MS });
  await client.connect().catch((error: Error & { code?: string }) => {
    // A name with several addresses fails with an error without a message of its own.
    const cause = error.message || error.code;
    throw new Error(`PostgreSQL at ${client.host}:${client.port} cannot be used: ${cause}.`, { cause: error });
  });
  try {
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } catch (error) {
    if ((error as { code?: string }).code !== DUPLICATE_DATABASE) throw error;
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
