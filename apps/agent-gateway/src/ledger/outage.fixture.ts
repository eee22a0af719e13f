import { Client } from 'pg';

/** Refuses new connections; `cut` ends those that are open. */
export async function forbidConnections(databaseUrl: string) {
  const url = new URL(databaseUrl);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  const server = new Client({ connectionString: url.href });
  await server.connect();
  await server.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`);
  return {
    cut: () => server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]),
    repair: async () => {
      await server.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS true`);
      await server.end();
    },
  };
}
