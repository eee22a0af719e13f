import { BadUsage } from '@evenkeel/platform/command-line';
import { CHECK, IMAGES } from './command';

it.each([
  [[], IMAGES],
  [['apps/billing'], ['apps/billing']],
  [
    ['apps/billing', 'tools/ops'],
    ['tools/ops', 'apps/billing'],
  ],
])('checks what is named, else all: %p', (args, projects) => {
  expect(CHECK.parse(args)).toEqual({ projects });
});

it.each([
  [['apps/shop'], `There is no image of apps/shop: choose from ${IMAGES.join(', ')}.`],
  [['billing'], `There is no image of billing: choose from ${IMAGES.join(', ')}.`],
  [['apps/billing', '--fast'], "Unknown option '--fast'"],
])('refuses %p in a sentence', (args, sentence) => {
  expect(() => CHECK.parse(args)).toThrow(new BadUsage(sentence));
});
