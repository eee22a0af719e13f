import { compileValidator } from './body-schema';

const accepts = (schema: Parameters<typeof compileValidator>[0], value: unknown) => compileValidator(schema)(value);

describe('compileValidator', () => {
  it('knows our keyword', () => {
    const schema = { type: 'string', trimmedLength: { minimum: 1, maximum: 2 } };
    expect(['a', ' ab '].map((text) => accepts(schema, text))).toEqual([true, true]);
    expect([' ', 'abc', 5].map((text) => accepts(schema, text))).toEqual([false, false, false]);
  });

  it('knows the formats that schemas of ours may name', () => {
    expect(accepts({ type: 'string', format: 'date-time' }, '2026-02-28T00:00:00Z')).toBe(true);
    expect(accepts({ type: 'string', format: 'date-time' }, '2026-02-30T00:00:00Z')).toBe(false);
    expect(accepts({ type: 'string', format: 'uuid' }, '0194b3a0-7c1e-7d2a-9f00-0123456789ab')).toBe(true);
    expect(accepts({ type: 'string', format: 'uuid' }, '0194b3a0')).toBe(false);
  });

  it('refuses a schema with words it does not know', () => {
    expect(() => compileValidator({ type: 'string', format: 'colour' })).toThrow();
    expect(() => compileValidator({ type: 'string', maxLenght: 5 } as object)).toThrow();
    expect(() => compileValidator({ type: 'string', maxLength: '5' } as object)).toThrow();
    expect(() => compileValidator({ type: 'text' })).toThrow();
  });
});
