import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAID_ENDPOINTS, requestSchema } from '@evenkeel/contracts';
import Ajv from 'ajv/dist/2020';
import { requestBody } from './request-body';

it.each(PAID_ENDPOINTS.map((endpoint) => [endpoint.operation, endpoint] as const))(
  'the sample of %s is a valid request',
  (operation, endpoint) => {
    const validate = new Ajv({ strict: false }).compile(requestSchema(endpoint));
    expect(validate(requestBody({ operation }))).toBe(true);
  },
);

it('the three habit operations share one example', () => {
  const read = (name: string) => readFileSync(join(__dirname, '../samples', name), 'utf8');
  expect(read('insights.json')).toBe(read('analyze.json'));
  expect(read('recommend.json')).toBe(read('analyze.json'));
});
