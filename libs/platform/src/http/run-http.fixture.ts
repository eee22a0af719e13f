import pino from 'pino';
import { anyFreePorts } from './http.fixture';
import { closeOnSignal, serve } from './run-http';

/** A service that prints its address, for tests of its end: one address is slow, all others never answer. */
async function main(): Promise<void> {
  const running = await serve(
    ({ url }, response) => {
      process.stdout.write('working\n');
      if (url === '/slow') setTimeout(() => response.end('{"done":true}'), 700);
    },
    anyFreePorts(),
    async () => undefined,
  );
  closeOnSignal(running, pino({ level: 'silent' }));
  process.stdout.write(`${running.url}\n`);
}

if (require.main === module) void main();
