import { BadUsage } from '@evenkeel/platform/command-line';
import { CLUSTER } from './command';

it.each([
  ['', { action: 'start' }],
  ['journeys', { action: 'journeys' }],
  ['restart billing', { action: 'restart', target: 'billing' }],
  ['check', { action: 'check', rounds: 20, rate: 50 }],
  ['check --rounds 3 --rate 10', { action: 'check', rounds: 3, rate: 10 }],
  ['restart all', { action: 'restart', target: 'all' }],
])('understands "%s"', (line, wanted) => {
  expect(CLUSTER.parse(line.split(' ').filter(Boolean))).toEqual(wanted);
});

it.each([
  ['explode', 'The first word must be one of start, restart, journeys, check, not explode'],
  ['restart', 'Name one of agent-gateway, accounts, billing, reporting, all'],
  ['restart mail', 'The service must be one of agent-gateway, accounts, billing, reporting, all, not mail'],
  ['journeys now', 'journeys takes nothing more, not now'],
  ['--loud', "Unknown option '--loud'"],
])('refuses "%s" in a sentence', (line, sentence) => {
  expect(() => CLUSTER.parse(line.split(' '))).toThrow(new BadUsage(sentence));
});
