import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { canonicalJson } from './call';

describe('canonicalJson', () => {
  it('writes any JSON value in the form of RFC 8785', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
        const value: unknown = JSON.parse(text);
        expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
    );
  });

  it.each([
    ['members by UTF-16 units', '{"€":1,"\\r":2,"1":3,"10":4,"9":5,"😂":6,"דּ":7,"__proto__":8}'],
    ['numbers as ECMAScript writes them', '[333333333.33333329,1E30,4.50,2e-3,1e-27,-0,-1.5e300]'],
    [
      'only the escapes that are required',
      '["\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","\\u007f","\\ud800"]',
    ],
    ['items that look alike', '[{"b":1,"a":2},{"b":3,"a":4},{"a":5,"b":6},{"a":7},null,[{"c":8}],3,{"a":9}]'],
    ['nothing at all', '[[],{},"",[""],{"":""},null,true,false]'],
  ])('writes %s', (_, text) => {
    const value: unknown = JSON.parse(text);
    expect(canonicalJson(value)).toBe(canonicalize(value));
  });

  it('replaces text values, but not the names of members', () => {
    expect(canonicalJson({ A: ['B', { C: 'D' }] }, (text) => text.toLowerCase())).toBe('{"A":["b",{"C":"d"}]}');
  });

  it('refuses infinity', () => {
    expect(() => canonicalJson({ amount: JSON.parse('1e999') as number })).toThrow(RangeError);
  });
});
