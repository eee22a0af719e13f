import { BadUsage } from '@evenkeel/platform/command-line';
import { SHIP } from './command';
import { STEP_NAMES, type Step } from './steps';

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
  ['--only model --ref v1', /^--ref is of compat, which is left out$/],
  ['model', /./],
])('refuses "%s" in a sentence', (line, sentence) => {
  expect(() => namesOf(line)).toThrow(BadUsage);
  expect(() => namesOf(line)).toThrow(sentence);
});

it('passes the release on to compat alone', () => {
  const wanted = SHIP.parse(['--ref', 'v1.4.0']) as Step[];
  expect(wanted.filter((step) => step.args?.includes('v1.4.0'))).toMatchObject([
    { name: 'compat', args: ['--ref', 'v1.4.0'] },
  ]);
});

it('has a name for each check, once', () => {
  expect(new Set(STEP_NAMES).size).toBe(STEP_NAMES.length);
});
