import { Client, type ClientConfig } from 'pg';

/** @throws Error with a sentence that names the server, also when it takes the connection and never answers */
export async function connect(config: ClientConfig): Promise<Client> {
  const client = new Client({ connectionTimeoutMillis: 5_000, ...config });
  // The next statement finds out.
  client.on('error', () => undefined);
  await client.connect().catch((cause: Error & { code?: string }) => {
    // A name with several addresses fails with an error without a message of its own.
    const reason = cause.message || cause.code;
    throw new Error(`The database at ${client.host}:${client.port} cannot be used: ${reason}.`, { cause });
  });
  return client;
}
