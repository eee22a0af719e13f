import { join } from 'node:path';
import { ERROR_CODES } from '@evenkeel/contracts';
import { workspaceTexts } from './texts/workspace-texts';

const CATALOGUE = 'libs/contracts/src/errors/error-codes.ts';
const STATED = /\breadonly code = '([a-z_]+)'/g;

const sources = [...workspaceTexts(join(__dirname, '../../..')).texts]
  .filter(([file]) => /^(apps|libs)\/[^/]+\/src\/.*\.ts$/.test(file))
  .filter(([file]) => file !== CATALOGUE && !/\.(spec|fixture)\.ts$/.test(file))
  .map(([, text]) => text);

/** Codes that a source states and the page of errors does not explain. */
function unexplained(source: string): string[] {
  return [...source.matchAll(STATED)].map(([, code]) => code!).filter((code) => !(code in ERROR_CODES));
}

it('every code that an error states is explained, with what to do', () => {
  expect(sources.length).toBeGreaterThan(300);
  expect(sources.flatMap(unexplained)).toEqual([]);
  expect(unexplained("class CardEaten { readonly code = 'card_eaten'; }")).toEqual(['card_eaten']);
});

it.each(Object.keys(ERROR_CODES))('%s is answered by something', (code) => {
  const named = new RegExp(`\\b${code}\\b`);
  expect(sources.some((source) => named.test(source))).toBe(true);
});
