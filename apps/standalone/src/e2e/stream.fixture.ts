import { type EventClass, isInstant, schemaOf, STREAM_PARTITIONS, StreamHeartbeat } from '@evenkeel/contracts';
import { compileValidator } from '@evenkeel/platform/validation';
import { readTopic, type SeenEvent } from './kcat.fixture';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const fitsHeartbeat = compileValidator(schemaOf(StreamHeartbeat, { closed: true }));

interface SeenStream {
  events: SeenEvent[];
  /** Beside the events: of no key, and not numbered. */
  heartbeats: SeenEvent[];
}

/** All that a stream holds, as a reader sees it that shares no code with ours. */
export async function readStream(brokers: string, topic: EventClass['stream']): Promise<SeenStream> {
  const seen = await readTopic(brokers, topic);
  const isHeartbeat = ({ headers }: SeenEvent) => headers['ce_type'] === StreamHeartbeat.type;
  return { events: seen.filter((one) => !isHeartbeat(one)), heartbeats: seen.filter(isHeartbeat) };
}

/** Of a relay that has worked: at least one in each partition, each of them a CloudEvent whose data fit its class. */
export function expectHeartbeats(heartbeats: readonly SeenEvent[], source: string): void {
  expect(heartbeats.length).toBeGreaterThanOrEqual(STREAM_PARTITIONS);
  for (const { key, headers, data } of heartbeats) {
    expect([key, headers]).toEqual([
      '',
      {
        'content-type': 'application/json',
        ce_specversion: '1.0',
        ce_id: expect.stringMatching(UUID),
        ce_type: 'stream.heartbeat',
        ce_source: source,
        ce_time: data['sentAt'],
      },
    ]);
    expect([isInstant(headers['ce_time']), fitsHeartbeat(data)]).toEqual([true, true]);
  }
}
