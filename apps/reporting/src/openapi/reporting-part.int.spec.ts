import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPEN_API_FOLDER, type OpenApiDocument } from '@evenkeel/contracts';
import { Ajv2020 } from 'ajv/dist/2020';
import { Reporting, type Reply } from '../revenue/reporting.fixture';
import { aCredit, aPayment, told } from '../revenue/story.fixture';
import { ANSWERS_FILE, reportingPart } from './reporting-part';

let reporting: Reporting;
let part: OpenApiDocument;
const ajv = new Ajv2020({ strict: false, validateFormats: false });
beforeAll(async () => {
  reporting = await Reporting.start();
  await reporting.tell(
    ...told(
      [aPayment(), aPayment({ states: ['settlement_pending'], served: false }), aPayment({ amountMicros: 30_000 })],
      [aCredit()],
    ),
  );
  part = await reportingPart();
  ajv.addSchema(part, 'part');
});
afterAll(() => reporting.close());

const recorded = () => JSON.parse(readFileSync(ANSWERS_FILE, 'utf8')) as Record<string, unknown>;
const contentOf = ({ headers, body, text }: Reply): unknown =>
  headers.get('content-type')!.includes('json') ? body : text;

it('is checked in as the code says it (else: npm run openapi:write)', () => {
  const written = readFileSync(join(OPEN_API_FOLDER, 'reporting.json'), 'utf8');
  expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(part)));
});

it('every figure is answered as recorded, and fits its schema (to record anew: RECORD_ANSWERS=on)', async () => {
  const answers: Record<string, unknown> = {};
  for (const [path, { get }] of Object.entries(part.paths)) {
    if (path === '/dashboard') continue;
    const days = get!.parameters?.some(({ name }) => name === 'days') ? '?days=2' : '';
    const reply = await reporting.read(path.replace('/v1/admin/revenue/', '') + days);
    expect([path, reply.status]).toEqual([path, 200]);
    answers[get!.operationId] = contentOf(reply);
    const step = path.replaceAll('/', '~1');
    const type = path.endsWith('.csv') ? 'text~1csv' : 'application~1json';
    const validate = ajv.getSchema(`part#/paths/${step}/get/responses/200/content/${type}/schema`)!;
    expect([path, validate(contentOf(reply)), validate.errors]).toEqual([path, true, null]);
  }
  if (process.env['RECORD_ANSWERS'] === 'on') writeFileSync(ANSWERS_FILE, `${JSON.stringify(answers, null, 2)}\n`);
  expect(answers).toEqual(recorded());
});

it('operations of operators ask for the token, and only those', () => {
  for (const [path, { get }] of Object.entries(part.paths)) {
    expect([path, get!.security]).toEqual([path, path === '/dashboard' ? [] : [{ adminToken: [] }]]);
    expect(get!.operationId).toMatch(/^[a-z]+([A-Z][a-z]+)+$/);
    expect([get!.summary, get!.description]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/)]);
  }
});

it('refusals are answered as documented', async () => {
  const { responses } = part.paths['/v1/admin/revenue/summary']!.get!;
  const example = (status: number) => {
    const { content } = responses[status] as unknown as {
      content: Record<string, { examples: { recorded: { value: unknown } } }>;
    };
    return content['application/json']!.examples.recorded.value;
  };
  const path = '/v1/admin/revenue/summary';
  const [unknown, bad] = [await reporting.send(path), await reporting.read('summary?days=x')];
  expect([unknown.status, unknown.body]).toEqual([401, example(401)]);
  expect([bad.status, bad.body]).toEqual([400, example(400)]);
});
