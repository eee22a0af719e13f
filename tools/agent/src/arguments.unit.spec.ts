import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAID_ENDPOINTS, requestSchema } from '@evenkeel/contracts';
import { BadUsage } from '@evenkeel/platform/command-line';
import Ajv from 'ajv/dist/2020';
import { CALL } from './arguments';
import { requestBody } from './request-body';

const key = `0x${'1f'.repeat(32)}`;

describe('the command line', () => {
  it('needs only the operation', () => {
    expect(CALL.parse(['analyze'])).toEqual({
      operation: 'analyze',
      url: 'http://localhost:8080',
      client: 'v2',
      bodyFile: undefined,
      saveIn: undefined,
      walletKey: undefined,
    });
  });

  it('takes every option, in any order', () => {
    const line = [
      '--client',
      'v1',
      '--url=https://api.example.com',
      'plan',
      '--body',
      'b.json',
      '--save',
      'kept',
      '--wallet-key',
      key,
    ];
    expect(CALL.parse(line)).toEqual({
      operation: 'plan',
      url: 'https://api.example.com',
      client: 'v1',
      bodyFile: 'b.json',
      saveIn: 'kept',
      walletKey: key,
    });
  });

  it('gives help whatever else is there', () => {
    expect(CALL.parse(['--help'])).toBe('help');
    expect(CALL.parse(['analyse', '--help'])).toBe('help');
  });

  it.each<[string[], string]>([
    [[], 'Name an operation: analyze, plan, insights, recommend, reliability'],
    [['analyse'], 'The operation must be one of analyze, plan, insights, recommend, reliability, not analyse'],
    [['analyze', 'plan'], 'One operation at a time, not also: plan'],
    [['analyze', '--quick'], "Unknown option '--quick'"],
    [['analyze', '--client', 'v3'], '--client must be one of v1, v2, v2-only, not v3'],
    [['analyze', '--url', 'localhost:8080'], '--url must be an http or https address, not localhost:8080'],
    [['analyze', '--wallet-key', '0x12'], '--wallet-key must be 0x and 64 hex digits'],
    [['analyze', '--body'], "Option '--body <value>' argument missing"],
  ])('refuses %j', (line, message) => {
    expect(() => CALL.parse(line)).toThrow(new BadUsage(message));
  });

  it('never repeats a key that is wrong', () => {
    expect(() => CALL.parse(['plan', '--wallet-key', 'secret'])).toThrow(/^--wallet-key must be 0x and 64 hex digits$/);
  });
});

it('the help names every operation with its price', () => {
  for (const { operation } of PAID_ENDPOINTS) expect(CALL.help).toContain(`  ${operation} `);
  expect(CALL.help).toContain('(0.10 USD)');
});

describe('the samples', () => {
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
});
