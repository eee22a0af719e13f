import { BadUsage } from '@evenkeel/platform/command-line';
import { SHIP } from './command';
import { STEP_NAMES } from './steps';

const namesOf = (line: string): string[] => {
  const wanted = SHIP.parse(line.split(' ').filter(Boolean));
  return wanted === 'help' ? [] : wanted.map(({ name }) => name);
};

it.each([
  ['', STEP_NAMES],
  ['--only restore --only model', ['model', 'restore']],
  ['--only restore --only model --skip model', ['restore']],
])('understands "%s"', (line, names) => {
  expect(namesOf(line)).toEqual(names);
});

it.each([
  ['--only everything', /^--only everything: there are model,/],
  ['--only model --skip model', /^Nothing is left to check$/],
  ['model', /./],
])('refuses "%s" in a sentence', (line, sentence) => {
  expect(() => namesOf(line)).toThrow(BadUsage);
  expect(() => namesOf(line)).toThrow(sentence);
});

it('has a name for each check, once', () => {
  expect(new Set(STEP_NAMES).size).toBe(STEP_NAMES.length);
});
