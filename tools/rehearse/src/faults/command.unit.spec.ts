import { BadUsage } from '@evenkeel/platform/command-line';
import { FAULTS } from './command';
import { THINGS } from './lines';

it.each([
  ['', { action: 'each', rate: 50, things: THINGS }],
  ['--only redis --only stripe --rate 10', { action: 'each', rate: 10, things: ['redis', 'stripe'] }],
  ['--random', { action: 'random', rate: 50, minutes: 15, seed: 1 }],
  ['--random --minutes 2 --seed 7', { action: 'random', rate: 50, minutes: 2, seed: 7 }],
])('understands "%s"', (line, wanted) => {
  expect(FAULTS.parse(line.split(' ').filter(Boolean))).toEqual(wanted);
});

it.each([
  ['--only mail', /^--only mail: there are agent-gateway-database,/],
  ['--random --only redis', /^--random takes all things: leave out --only$/],
  ['now', /./],
])('refuses "%s" in a sentence', (line, sentence) => {
  expect(() => FAULTS.parse(line.split(' '))).toThrow(BadUsage);
  expect(() => FAULTS.parse(line.split(' '))).toThrow(sentence);
});
