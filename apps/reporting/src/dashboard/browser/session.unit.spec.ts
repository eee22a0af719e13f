import { Session } from './session';

let kept: Map<string, string>;
const storage = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
  removeItem: (key: string) => void kept.delete(key),
};
beforeEach(() => (kept = new Map()));

it('keeps the token in memory alone', () => {
  const session = new Session(storage);
  session.open('a token', false);
  expect([session.token, kept.size]).toEqual(['a token', 0]);
  expect(new Session(storage).token).toBeUndefined();
});

it('keeps it for the tab where that is asked for, until it is closed', () => {
  const session = new Session(storage);
  session.open('a token', true);
  expect(new Session(storage).token).toBe('a token');
  session.close();
  expect([session.token, kept.size]).toEqual([undefined, 0]);
});
