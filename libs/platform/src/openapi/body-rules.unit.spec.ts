import {
  IntegerBetween,
  Nullable,
  Optional,
  TrimmedText,
  type JsonSchema,
  type OpenApiOperation,
} from '@evenkeel/contracts';
import { IsString } from 'class-validator';
import { withRefusalsOfBodies, withRules } from './body-rules';

class ParcelBody {
  @IntegerBetween(1, 9_000) grams!: number;
  @TrimmedText(2, 9) label!: string;
  @Optional() @Nullable() @IsString() note?: string | null;
}

const stated = {
  ParcelBody: {
    type: 'object',
    properties: {
      grams: { type: 'number', description: 'With its box' },
      label: { type: 'string', minLength: 2, maxLength: 9 },
      note: { type: 'string', nullable: true, description: 'For the driver' } as JsonSchema,
    },
    required: ['grams', 'label', 'note'],
  },
  ParcelView: { type: 'object', properties: {} },
};

it('a body has the rules of its validator and the words of its decorators', () => {
  expect(withRules(stated, [ParcelBody])).toEqual({
    ParcelBody: {
      type: 'object',
      properties: {
        grams: { type: 'integer', minimum: 1, maximum: 9_000, description: 'With its box' },
        label: { type: 'string', minLength: 2, pattern: '^\\s*\\S[\\s\\S]{0,7}\\S\\s*$' },
        note: { type: ['string', 'null'], description: 'For the driver' },
      },
      required: ['grams', 'label'],
      additionalProperties: false,
    },
    ParcelView: stated.ParcelView,
  });
});

describe('what takes JSON answers a body that it cannot take', () => {
  const operation = { operationId: 'send', responses: { 201: { description: '' } } } as unknown as OpenApiOperation;
  const content = { 'application/json': { schema: {} } };
  const codes = (one: Partial<OpenApiOperation>) =>
    Object.keys(withRefusalsOfBodies({ ...operation, ...one }).responses);

  it('with 413 and 415', () =>
    expect(codes({ requestBody: { required: true, content } })).toEqual(['201', '413', '415']));

  it('but not without a body, or with a form', () => {
    expect(codes({})).toEqual(['201']);
    expect(codes({ requestBody: { required: true, content: { 'multipart/form-data': { schema: {} } } } })).toEqual([
      '201',
    ]);
  });

  it('in its own words where it has some', () => {
    const responses = { 413: { description: 'mine' } };
    const described = withRefusalsOfBodies({ ...operation, requestBody: { required: true, content }, responses });
    expect(described.responses['413']).toEqual({ description: 'mine' });
  });
});
