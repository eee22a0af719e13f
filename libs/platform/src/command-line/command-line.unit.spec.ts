import { Injectable, Module } from '@nestjs/common';
import { hideFromOutput } from '../config/secrets';
import {
  BadUsage,
  choice,
  choices,
  CommandLine,
  decimal,
  flag,
  integer,
  oneArgument,
  runCommand,
  text,
  withModule,
} from '.';

const PACK = new CommandLine({
  call: 'npm run pack',
  about: 'Packs a box.',
  usage: ['npm run pack -- <box> [options]'],
  parts: { Boxes: 'small  holds one thing\nlarge  holds more' },
  options: {
    things: integer({ help: 'how many', from: 1, to: 50, fallback: 5 }),
    weight: decimal({ help: 'of each, in\nkilograms', placeholder: 'kg', from: 0.2, to: 60 }),
    paperColour: choice({ help: '', placeholder: 'colour', of: ['red', 'blue'], fallback: 'red' }),
    only: choices({ help: 'may be given more than once', of: ['cup', 'plate'] }),
    label: text({ help: 'on the box', matches: /^[a-z]+$/, must: 'be small letters', otherwise: 'none' }),
    spare: integer({ help: '', from: 0, to: 9 }),
    tied: flag('with a string'),
  },
  environment: { PAPER: 'where the paper is' },
  ends: 'Ends with 0 when it is packed.',
  takesArguments: true,
  read: (values, given) => ({
    ...values,
    box: oneArgument(given, { missing: 'Name a box', more: 'One box at a time' }),
  }),
});

const HELP = `Packs a box.

  npm run pack -- <box> [options]

Boxes
  small  holds one thing
  large  holds more

Options
  --things <n>             how many, 1 to 50 (5)
  --weight <kg>            of each, in
                           kilograms, 0.2 to 60
  --paper-colour <colour>  (red)
  --only <name>            may be given more than once
  --label <text>           on the box (none)
  --spare <n>              0 to 9
  --tied                   with a string
  --help                   this text

Environment
  PAPER  where the paper is

Ends with 0 when it is packed.
`;

type Work = () => Promise<number | void> | number | void;

async function run(line: string, work: Work = () => undefined, codes?: { badUsage: number; failed: number }) {
  let [out, err] = ['', ''];
  const streams = { out: (part: string) => void (out += part), err: (part: string) => void (err += part) };
  const code = await runCommand(PACK, line.split(' '), streams, work, codes);
  return { code, out, err };
}

it('reads what is typed, and what applies without it', () => {
  const unset = { weight: undefined, only: undefined, label: undefined, tied: false };
  expect(PACK.parse(['small'])).toEqual({ ...unset, box: 'small', things: 5, paperColour: 'red' });
  const line = '--things 3 --weight=0.5 large --paper-colour blue --only cup --only plate --label fragile --tied';
  expect(PACK.parse(line.split(' '))).toEqual({
    box: 'large',
    things: 3,
    weight: 0.5,
    paperColour: 'blue',
    only: ['cup', 'plate'],
    label: 'fragile',
    tied: true,
  });
});

it.each([
  ['small --things 0', '--things must be an integer from 1 to 50'],
  ['small --things 1e1', '--things must be an integer from 1 to 50'],
  ['small --weight x', '--weight must be a number from 0.2 to 60'],
  ['small --weight=', '--weight must be a number from 0.2 to 60'],
  ['small --paper-colour green', '--paper-colour must be one of red, blue, not green'],
  ['small --only cup --only spoon', '--only must be one of cup, plate, not spoon'],
  ['small --label BIG', '--label must be small letters'],
  ['small --loud', "Unknown option '--loud'"],
  ['small --label', "Option '--label <value>' argument missing"],
  ['--tied', 'Name a box'],
  ['small large', 'One box at a time, not also: large'],
])('refuses %s in a sentence, and says how to get the help', async (line, sentence) => {
  expect(await run(line)).toEqual({ code: 2, out: '', err: `${sentence}\nSee npm run pack -- --help\n` });
});

it('takes no arguments where none are declared', () => {
  const command = new CommandLine({ call: 'npm run list', about: 'Lists.', options: {}, read: () => null });
  expect(() => command.parse(['box'])).toThrow(BadUsage);
});

it('gives the help, made from the declaration, whatever else is there', async () => {
  const work = jest.fn();
  expect(await run('--things 900 --help', work)).toEqual({ code: 0, out: HELP, err: '' });
  expect(work).not.toHaveBeenCalled();
});

it.each<[string, Work, codes: { badUsage: number; failed: number } | undefined, object]>([
  ['the code of the work', () => 3, undefined, { code: 3, out: '', err: '' }],
  ['0 when it has none', () => undefined, undefined, { code: 0, out: '', err: '' }],
  ['2 when the work finds it asked wrongly', () => Promise.reject(new BadUsage('No.')), undefined, { code: 2 }],
  ['1 and the sentence of its error', () => Promise.reject(new Error('Torn.')), undefined, { code: 1, err: 'Torn.\n' }],
  ['its own codes', () => Promise.reject(new Error('Torn.')), { badUsage: 1, failed: 4 }, { code: 4 }],
])('ends with %s', async (_, work, codes, end) => {
  expect(await run('small', work, codes)).toMatchObject(end);
});

it('prints no secret setting', async () => {
  hideFromOutput(['swordfish']);
  const { err } = await run('small', () => Promise.reject(new Error('swordfish is wrong')));
  expect(err).toBe('[redacted] is wrong\n');
});

it('withModule closes the module, also when the work fails', async () => {
  const closed = jest.fn();
  @Injectable()
  class Box {
    readonly onModuleDestroy = closed;
  }
  @Module({ providers: [Box] })
  class Boxes {}

  expect(await withModule(Boxes, async (app) => app.get(Box) instanceof Box)).toBe(true);
  await expect(withModule(Boxes, () => Promise.reject(new Error('torn')))).rejects.toThrow('torn');
  expect(closed).toHaveBeenCalledTimes(2);
});
