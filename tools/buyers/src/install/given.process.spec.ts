import { expectAnswers, readGiven } from './given';

const known = ['go', 'rust'];

it('reads languages and the address, in any order', () => {
  expect(readGiven(['http://127.0.0.1:3000/', 'rust'], known)).toEqual({
    names: ['rust'],
    seller: 'http://127.0.0.1:3000',
  });
  expect(readGiven([], known)).toEqual({ names: [], seller: 'http://localhost:8080' });
});

it.each([
  [['cobol'], 'cobol is none of go, rust'],
  [['http://a', 'http://b'], 'one address is enough'],
])('refuses %j', (given, sentence) => expect(() => readGiven(given, known)).toThrow(sentence));

it('says what to do when nobody answers', async () => {
  await expect(expectAnswers('http://127.0.0.1:1')).rejects.toThrow(
    'Nobody answers at http://127.0.0.1:1. Start the service with "npm start", or name another address.',
  );
});
