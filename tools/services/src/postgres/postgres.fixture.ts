import { startPostgres } from './start-postgres';

/** A program that starts a server, says where, and waits to be killed: `node … postgres.fixture.ts <folder>`. */
async function main(dataDir: string): Promise<void> {
  const { url } = await startPostgres({ dataDir });
  process.stdout.write(`${JSON.stringify({ ready: true, url })}\n`);
  setInterval(() => undefined, 60_000);
}

if (require.main === module) void main(process.argv[2]!);
