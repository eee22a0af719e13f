import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const METADATA = 3;
const VERSION = 4;
const RETRY_MS = 50;

/**
 * Waits until a broker answers a request for metadata with at least itself: then clients can begin.
 * @throws Error when it has not within the time
 */
export async function untilBrokerAnswers(port: number, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while ((await countBrokers(port).catch(() => 0)) === 0) {
    if (performance.now() > deadline) throw new Error(`no answer on port ${port} within ${withinMs} ms`);
    await sleep(RETRY_MS);
  }
}

/** @see https://kafka.apache.org/protocol.html#The_Messages_Metadata */
async function countBrokers(port: number): Promise<number> {
  const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 });
  socket.on('timeout', () => socket.destroy(new Error('no answer')));
  try {
    await once(socket, 'connect');
    socket.write(metadataRequest());
    const [answer] = (await once(socket, 'data')) as [Buffer];
    // Length, correlation id and throttle time come before the list of brokers.
    return answer.readInt32BE(12);
  } finally {
    socket.destroy();
  }
}

function metadataRequest(): Buffer {
  const body = Buffer.concat([
    int16(METADATA),
    int16(VERSION),
    int32(0), // correlation id
    int16(-1), // no client id
    int32(0), // of no topic
    Buffer.from([0]), // make none
  ]);
  return Buffer.concat([int32(body.length), body]);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
