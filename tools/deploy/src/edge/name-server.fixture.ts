import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const HEADER_BYTES = 12;
const IPV4 = 1;
const INTERNET = 1;

/** Where a name of a question ends: labels with their length, then a zero. */
function nameOf(message: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

/** An address record that points to the name of the question and is valid for no time. */
function record(address: string): Buffer {
  const bytes = Buffer.from([0xc0, HEADER_BYTES, 0, IPV4, 0, INTERNET, 0, 0, 0, 0, 0, 4]);
  return Buffer.concat([bytes, Buffer.from(address.split('.').map(Number))]);
}

/**
 * A name server as a cluster has it for headless Services: an address for each pod.
 * @returns its port and how to stop it
 */
export async function startNameServer(addressesOf: (name: string) => readonly string[]) {
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    const { name, end } = nameOf(message);
    const wantsIpv4 = message.readUInt16BE(end) === IPV4;
    const records = wantsIpv4 ? addressesOf(name).map(record) : [];
    const answer = Buffer.concat([message.subarray(0, end + 4), ...records]);
    answer.writeUInt16BE(0x8580, 2);
    answer.writeUInt16BE(records.length, 6);
    answer.writeUInt32BE(0, 8);
    socket.send(answer, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, stop: () => void socket.close() };
}
