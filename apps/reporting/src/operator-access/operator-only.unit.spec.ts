import { AdminNotConfigured, InvalidAdminToken, OperatorToken } from './operator-only';

const token = 'an operator knows this word';

describe('the operator token', () => {
  it('refuses everyone while there is none', () => {
    const none = new OperatorToken(undefined);
    expect(() => none.assertConfigured()).toThrow(AdminNotConfigured);
    for (const offered of ['', undefined, 'undefined', 'null']) {
      expect(() => none.assertIs(offered)).toThrow(AdminNotConfigured);
    }
  });

  it('lets in who knows it', () => {
    const operator = new OperatorToken(token);
    expect(() => operator.assertConfigured()).not.toThrow();
    expect(() => operator.assertIs(token)).not.toThrow();
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['an empty text', ''],
    ['a part of it', token.slice(0, -1)],
    ['more than it', `${token} `],
    ['another case', token.toUpperCase()],
    ['a list of it', [token]],
    ['its digest', '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'],
  ])('refuses %s', (_, offered) => expect(() => new OperatorToken(token).assertIs(offered)).toThrow(InvalidAdminToken));
});
