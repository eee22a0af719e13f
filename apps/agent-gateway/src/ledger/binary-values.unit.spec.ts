import { binaryArray, binaryValue } from './binary-values';

describe('a value', () => {
  it.each([
    ['uuid', 'no-uuid', 'no-uuid is no uuid'],
    ['smallint', 99_999, '99999 is no smallint'],
    ['bigint', 0.5, '0.5 is no bigint'],
    ['timestamptz', new Date(NaN), 'Invalid Date is no timestamptz'],
  ] as const)('that a %s cannot hold is refused as PostgreSQL would', (type, value, message) => {
    const refusal = expect.objectContaining({ message, code: '22000' }) as Error;
    expect(() => binaryValue(type, value)).toThrow(refusal);
    expect(() => binaryArray(type, [null, value])).toThrow(refusal);
  });

  it('that is null is null', () => {
    expect(binaryValue('text', null)).toBeNull();
  });
});
