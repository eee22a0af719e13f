import { pathOf } from './request-path';

describe('pathOf', () => {
  it.each([
    ['/v1/habits', '/v1/habits'],
    ['/v1/habits?x=/agent/v1', '/v1/habits'],
    ['/?', '/'],
    ['/%761/habits', '/v1/habits'],
    ['/a%2Fb', '/a%2Fb'],
    ['/%zz', '/%zz'],
    ['http://a.example/v1/habits?x', '/v1/habits'],
    ['http://a.example', '/'],
    ['*', '*'],
    ['', ''],
  ])('of %p is %p', (target, path) => expect(pathOf(target)).toBe(path));
});
