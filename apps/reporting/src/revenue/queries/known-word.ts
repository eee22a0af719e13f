import { badQuery } from './bad-query';

/**
 * A word of a query that must be one of ours; undefined when the query does not name it.
 * @throws ValidationFailed
 */
export function knownWord<Word extends string>(name: string, text: unknown, words: readonly Word[]): Word | undefined {
  if (text === undefined) return undefined;
  const word = words.find((known) => known === text);
  if (word === undefined) throw badQuery(name, 'not_in_enum', `must be one of: ${words.join(', ')}`);
  return word;
}
