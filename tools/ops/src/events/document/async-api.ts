import {
  CLOUD_EVENTS_VERSION,
  componentSchemas,
  deadLetterTopic,
  EVENT_CONTENT_TYPE,
  EVENT_EXAMPLES,
  EVENT_HEADERS,
  eventSource,
  HEARTBEAT_EVERY_MS,
  STREAM_PARTITIONS,
  StreamHeartbeat,
  STREAMS,
  type Class,
  type EventExample,
  type JsonSchema,
} from '@evenkeel/contracts';

type Stream = (typeof STREAMS)[number];

/** The catalogue of all events as an AsyncAPI 3.0 document, made from the event classes; each has an example. */
export function asyncApiDocument() {
  const spoken = STREAMS.filter(({ topic }) => eventsOf(topic).length > 0);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Evenkeel events',
      version: '1.0.0',
      description:
        'CloudEvents 1.0 in binary mode over Kafka. At least once: apply each ce_id once, and in order of ce_sequence ' +
        'within a key. Ignore members and types you do not know; a changed meaning is a new version of the topic.',
    },
    defaultContentType: EVENT_CONTENT_TYPE,
    channels: Object.fromEntries(spoken.map((stream) => [stream.topic, channelOf(stream)])),
    operations: Object.fromEntries(spoken.map((stream) => [`${stream.owner}.send`, operationOf(stream)])),
    components: {
      messages: {
        ...Object.fromEntries(EVENT_EXAMPLES.map((example) => [example.event.type, messageOf(example)])),
        [StreamHeartbeat.type]: heartbeat(),
      },
      schemas: Object.assign({}, ...EVENT_EXAMPLES.map(({ event }) => dataOf(event).parts)) as object,
    },
  };
}

function eventsOf(topic: string): EventExample[] {
  return EVENT_EXAMPLES.filter(({ event }) => event.stream === topic);
}

function channelOf({ topic, owner, key, readers }: Stream): object {
  const types = [...eventsOf(topic).map(({ event }) => event.type), StreamHeartbeat.type];
  const messages = types.map((type) => [type, { $ref: `#/components/messages/${type}` }]);
  return {
    address: topic,
    description:
      `Written by ${owner}, read by ${readers.join(' and ')}. Key: ${key}. ` +
      `What a reader gives up goes to ${deadLetterTopic(topic)}.`,
    messages: Object.fromEntries(messages) as object,
    bindings: {
      kafka: {
        topic,
        partitions: STREAM_PARTITIONS,
        topicConfiguration: { 'cleanup.policy': ['delete'], 'retention.ms': -1 },
      },
    },
  };
}

function operationOf({ topic }: Stream): object {
  return { action: 'send', channel: { $ref: `#/channels/${topic}` } };
}

/** The schema of the data, and those of the classes it is made of. */
function dataOf(event: Class): { payload: JsonSchema; parts: Record<string, JsonSchema> } {
  const { [event.name]: payload = {}, ...parts } = componentSchemas([event], { closed: false });
  return { payload, parts };
}

function messageOf(example: EventExample): object {
  const { event, summary, subject, key, data } = example;
  const { owner } = STREAMS.find(({ topic }) => topic === event.stream)!;
  const source = eventSource(owner);
  return {
    name: event.type,
    title: event.name,
    summary,
    contentType: EVENT_CONTENT_TYPE,
    headers: headersOf(event.type, { const: source }, { subject, key }),
    payload: dataOf(event).payload,
    bindings: { kafka: { key: { type: 'string', description: `\`${key}\` of the data` } } },
    examples: [{ name: event.type, headers: exampleHeaders(example, source), payload: data }],
  };
}

/** As Kafka stores them. */
function exampleHeaders({ event, subject, key, time, data }: EventExample, source: string): Record<string, string> {
  const member = (name: string) => (data as Record<string, string>)[name]!;
  const sequence = String(1 + EVENT_EXAMPLES.findIndex((one) => one.event === event));
  return {
    [EVENT_HEADERS.contentType]: EVENT_CONTENT_TYPE,
    [EVENT_HEADERS.specVersion]: CLOUD_EVENTS_VERSION,
    [EVENT_HEADERS.id]: `0194bc40-0000-7000-8000-${sequence.padStart(12, '0')}`,
    [EVENT_HEADERS.type]: event.type,
    [EVENT_HEADERS.source]: source,
    [EVENT_HEADERS.subject]: member(subject),
    [EVENT_HEADERS.time]: member(time),
    [EVENT_HEADERS.partitionKey]: member(key),
    [EVENT_HEADERS.sequence]: sequence,
  };
}

/** Beside the events of every stream. */
function heartbeat(): object {
  const example = { oldestUnpublishedAt: null, sentAt: '2026-01-31T12:00:00.000Z' };
  return {
    name: StreamHeartbeat.type,
    title: StreamHeartbeat.name,
    summary: `The stream works: one in each partition every ${HEARTBEAT_EVERY_MS / 1_000} s, without key and sequence.`,
    contentType: EVENT_CONTENT_TYPE,
    headers: headersOf(StreamHeartbeat.type, { type: 'string' }),
    payload: dataOf(StreamHeartbeat).payload,
    examples: [{ name: StreamHeartbeat.type, payload: example }],
  };
}

/** @param about members of the data that are subject and key; a heartbeat has neither, and no number */
function headersOf(type: string, source: JsonSchema, about?: { subject: string; key: string }): JsonSchema {
  const properties: Record<string, JsonSchema> = {
    [EVENT_HEADERS.contentType]: { const: EVENT_CONTENT_TYPE },
    [EVENT_HEADERS.specVersion]: { const: CLOUD_EVENTS_VERSION },
    [EVENT_HEADERS.id]: { type: 'string', format: 'uuid', description: 'UUID version 7; equal for every delivery' },
    [EVENT_HEADERS.type]: { const: type },
    [EVENT_HEADERS.source]: source,
    [EVENT_HEADERS.time]: { type: 'string', format: 'date-time', description: 'when it happened' },
  };
  if (!about) return { type: 'object', properties, required: Object.keys(properties) };
  const ofEvents: Record<string, JsonSchema> = {
    [EVENT_HEADERS.subject]: { type: 'string', description: `\`${about.subject}\` of the data` },
    [EVENT_HEADERS.partitionKey]: { type: 'string', description: `the key, \`${about.key}\` of the data` },
    [EVENT_HEADERS.sequence]: {
      type: 'string',
      pattern: '^[1-9][0-9]*$',
      description: 'next number of the key, without gaps',
    },
  };
  const description =
    'step that made the event, as W3C Trace Context writes it; only of what is traced, which little is';
  return {
    type: 'object',
    properties: { ...properties, ...ofEvents, [EVENT_HEADERS.traceparent]: { type: 'string', description } },
    required: Object.keys({ ...properties, ...ofEvents }),
  };
}
