import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ensureProgram } from '@evenkeel/services';

export interface SeenEvent {
  key: string;
  headers: Record<string, string>;
  data: Record<string, unknown>;
}

const LONGEST_OUTPUT_BYTES = 256 * 2 ** 20;

/** All messages of a topic, as a reader sees them that shares no code with ours. */
export async function readTopic(brokers: string, topic: string): Promise<SeenEvent[]> {
  const args = ['-b', brokers, '-t', topic, '-C', '-q', '-e', '-o', 'beginning', '-f', '%k\t%h\t%s\n'];
  const kcat = await ensureProgram({ name: 'kcat', debianPackage: 'kcat', purpose: 'kcat 1.7' });
  const { stdout } = await promisify(execFile)(kcat, args, { maxBuffer: LONGEST_OUTPUT_BYTES });
  return stdout.split('\n').filter(Boolean).map(parse);
}

/** Kafka may have an event twice; every reader tells by its id. */
export function once(events: readonly SeenEvent[]): SeenEvent[] {
  return [...new Map(events.map((event) => [event.headers['ce_id'], event])).values()];
}

function parse(line: string): SeenEvent {
  const [key = '', headers = '', value = ''] = line.split('\t');
  const pairs = headers.split(',').map((header) => header.split(/=(.*)/s).slice(0, 2) as [string, string]);
  return { key, headers: Object.fromEntries(pairs), data: JSON.parse(value) as Record<string, unknown> };
}
