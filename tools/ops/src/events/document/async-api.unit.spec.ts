import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_EXAMPLES, EVENT_HEADERS, type JsonSchema, schemaOf } from '@evenkeel/contracts';
import { compileValidator } from '@evenkeel/platform/validation';
import { asyncApiDocument } from './async-api';

const FILE = join(__dirname, '../../../../../docs/events/asyncapi.json');
const text = readFileSync(FILE, 'utf8');

it('docs/events/asyncapi.json is up to date (npm run events:document)', () => {
  expect(text).toBe(`${JSON.stringify(asyncApiDocument(), null, 2)}\n`);
});

interface Message {
  headers: JsonSchema;
  examples: [{ headers: Record<string, string>; payload: Record<string, unknown> }];
}
const { messages } = (JSON.parse(text) as { components: { messages: Record<string, Message> } }).components;

describe.each(EVENT_EXAMPLES)('the example of $event.type', ({ event, key }) => {
  const { headers: wanted, examples } = messages[event.type]!;
  const [{ headers, payload }] = examples;

  it('fits its class, and has no member that the class does not know', () => {
    expect(compileValidator(schemaOf(event, { closed: true }))(payload)).toBe(true);
  });

  it('has the headers that the catalogue asks for, with its key', () => {
    expect(compileValidator(wanted)(headers)).toBe(true);
    expect(headers[EVENT_HEADERS.partitionKey]).toBe(payload[key]);
  });
});
