import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_EXAMPLES, EVENT_HEADERS, schemaOf } from '@evenkeel/contracts';
import { compileValidator } from '@evenkeel/platform/validation';
import { eventDocuments } from './event-documents';

const FOLDER = join(__dirname, '../../../../../docs/events');
const documents = [...eventDocuments()];

it.each(documents)('docs/events/%s is up to date (npm run events:document)', (name, text) => {
  expect(readFileSync(join(FOLDER, name), 'utf8')).toBe(text);
});

it('docs/events holds nothing else', () => {
  const found = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => /\.json$/.test(name));
  expect(found.sort()).toEqual(documents.map(([name]) => name).sort());
});

describe.each(EVENT_EXAMPLES)('the example of $event.type', ({ event }) => {
  const { key, headers, value, topic } = JSON.parse(
    readFileSync(join(FOLDER, `examples/${event.type}.json`), 'utf8'),
  ) as { topic: string; key: string; headers: Record<string, string>; value: Record<string, unknown> };

  it('fits its class, and has no member that the class does not know', () => {
    expect(compileValidator(schemaOf(event, { closed: true }))(value)).toBe(true);
  });

  it('has the headers that the catalogue asks for', () => {
    const { components } = JSON.parse(documents[0]![1]) as {
      components: { messages: Record<string, { headers: object }> };
    };
    expect(compileValidator(components.messages[event.type]!.headers)(headers)).toBe(true);
    expect(headers[EVENT_HEADERS.partitionKey]).toBe(key);
    expect(topic).toBe(event.stream);
  });
});
