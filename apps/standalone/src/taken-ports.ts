import { once } from 'node:events';
import { createServer } from 'node:http';
import { CannotListen, listen, type WantedPort } from '@evenkeel/platform/http';

/**
 * Looks at all ports before anything else is begun.
 * @throws CannotListen with a sentence for each port that is taken or not allowed
 */
export async function refuseTakenPorts(wanted: readonly WantedPort[]): Promise<void> {
  const refused: string[] = [];
  for (const one of wanted) {
    const server = createServer();
    await listen(server, one).then(
      () => once(server.close(), 'close'),
      ({ message }: CannotListen) => refused.push(message),
    );
  }
  if (refused.length > 0) throw new CannotListen(refused.join(' '));
}
