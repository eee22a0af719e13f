import {
  CLOUD_EVENTS_VERSION,
  EVENT_CONTENT_TYPE,
  EVENT_EXAMPLES,
  EVENT_HEADERS,
  eventSource,
  STREAMS,
  type EventExample,
} from '@evenkeel/contracts';
import { asyncApiDocument } from './async-api';

/** Each document of `docs/events` with its text. */
export function eventDocuments(): Map<string, string> {
  const documents = new Map([['asyncapi.json', text(asyncApiDocument())]]);
  EVENT_EXAMPLES.forEach((example, index) => {
    documents.set(`examples/${example.event.type}.json`, text(exampleOf(example, index + 1)));
  });
  return documents;
}

/** A message as Kafka stores it. */
function exampleOf({ event, subject, key, time, data }: EventExample, sequence: number): object {
  const member = (name: string) => (data as Record<string, string>)[name]!;
  const headers = {
    [EVENT_HEADERS.contentType]: EVENT_CONTENT_TYPE,
    [EVENT_HEADERS.specVersion]: CLOUD_EVENTS_VERSION,
    [EVENT_HEADERS.id]: `0194bc40-0000-7000-8000-${String(sequence).padStart(12, '0')}`,
    [EVENT_HEADERS.type]: event.type,
    [EVENT_HEADERS.source]: eventSource(STREAMS.find(({ topic }) => topic === event.stream)!.owner),
    [EVENT_HEADERS.subject]: member(subject),
    [EVENT_HEADERS.time]: member(time),
    [EVENT_HEADERS.partitionKey]: member(key),
    [EVENT_HEADERS.sequence]: String(sequence),
  };
  return { topic: event.stream, key: member(key), headers, value: data };
}

function text(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
