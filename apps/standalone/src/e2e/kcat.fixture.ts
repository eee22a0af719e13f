import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ensureKcat } from '@evenkeel/services';

export interface SeenEvent {
  key: string;
  headers: Record<string, string>;
  data: Record<string, unknown>;
}

/** All messages of a topic, as a reader sees them that shares no code with ours. */
export async function readTopic(brokers: string, topic: string): Promise<SeenEvent[]> {
  const args = ['-b', brokers, '-t', topic, '-C', '-q', '-e', '-o', 'beginning', '-f', '%k\t%h\t%s\n'];
  const kcat = spawn(await ensureKcat(), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  kcat.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [status] = (await once(kcat, 'close')) as [number | null];
  if (status !== 0) throw new Error(`kcat ended with ${status}`);
  return output.split('\n').filter(Boolean).map(parse);
}

function parse(line: string): SeenEvent {
  const [key = '', headers = '', value = ''] = line.split('\t');
  const pairs = headers.split(',').map((header) => {
    const at = header.indexOf('=');
    return [header.slice(0, at), header.slice(at + 1)];
  });
  const data = JSON.parse(value) as Record<string, unknown>;
  return { key, headers: Object.fromEntries(pairs) as Record<string, string>, data };
}
