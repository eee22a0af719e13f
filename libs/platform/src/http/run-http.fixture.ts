import pino from 'pino';
import { closeOnSignal, serve } from './run-http';

/** A service that prints its address, for tests of its end: one address is slow, all others never answer. */
async function main(): Promise<void> {
  const logger = pino({ level: 'silent' });
  const running = await serve(
    ({ url }, response) => {
      process.stdout.write('working\n');
      if (url === '/slow') setTimeout(() => response.end('{"done":true}'), 700);
    },
    { port: 0, host: '127.0.0.1', internalPort: 0, readiness: () => Promise.resolve({}), logger },
    async () => undefined,
  );
  closeOnSignal(running, logger);
  process.stdout.write(`${running.url}\n`);
}

if (require.main === module) void main();
