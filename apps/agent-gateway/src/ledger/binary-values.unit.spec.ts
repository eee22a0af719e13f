import { binaryArray, binaryValue } from './binary-values';

const UUID = '01a2028e-4b6e-7823-a31b-f97a0e962306';

describe('a value', () => {
  it.each([
    ['uuid', 'no-uuid', 'no-uuid is no uuid'],
    ['uuid', `${UUID}0`, `${UUID}0 is no uuid`],
    ['uuid', UUID.replace('-', '_'), `${UUID.replace('-', '_')} is no uuid`],
    ['uuid', UUID.replace('a', 'g'), `${UUID.replace('a', 'g')} is no uuid`],
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
