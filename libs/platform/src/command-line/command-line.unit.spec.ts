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

const unset = { weight: undefined, only: undefined, label: undefined, tied: false };

it('makes the help from the declaration', () => {
  expect(PACK.help).toBe(`Packs a box.

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
  --tied                   with a string
  --help                   this text

Environment
  PAPER  where the paper is

Ends with 0 when it is packed.
`);
});

it('reads what is typed, and what applies without it', () => {
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
  ['small --only cup --only spoon', '--only spoon: there are cup, plate.'],
  ['small --label BIG', '--label must be small letters'],
  ['small --loud', "Unknown option '--loud'"],
  ['small --label', "Option '--label <value>' argument missing"],
  ['--tied', 'Name a box'],
  ['small large', 'One box at a time, not also: large'],
])('refuses %s in a sentence', (line, sentence) => {
  expect(() => PACK.parse(line.split(' '))).toThrow(new BadUsage(sentence));
});

it('takes no arguments where none are declared', () => {
  const command = new CommandLine({ call: 'npm run list', about: 'Lists.', options: {}, read: () => null });
  expect(() => command.parse(['box'])).toThrow(BadUsage);
});

describe('runCommand', () => {
  async function run(
    line: string,
    work: () => Promise<number | void> | number | void = () => undefined,
    codes?: never,
  ) {
    let [out, err] = ['', ''];
    const streams = { out: (part: string) => void (out += part), err: (part: string) => void (err += part) };
    const code = await runCommand(PACK, line.split(' '), streams, work, codes);
    return { code, out, err };
  }

  it('gives the help, whatever else is there', async () => {
    const work = jest.fn();
    expect(await run('--things 900 --help', work)).toEqual({ code: 0, out: PACK.help, err: '' });
    expect(work).not.toHaveBeenCalled();
  });

  it('ends with the code of the work, or with 0', async () => {
    expect(await run('small', () => 3)).toEqual({ code: 3, out: '', err: '' });
    expect(await run('small')).toEqual({ code: 0, out: '', err: '' });
  });

  it('ends with 2 and the way to the help when it is asked wrongly', async () => {
    const err = 'Name a box\nSee npm run pack -- --help\n';
    expect(await run('--tied')).toEqual({ code: 2, out: '', err });
    expect(await run('small', () => Promise.reject(new BadUsage('Name a box')))).toEqual({ code: 2, out: '', err });
  });

  it('ends with 1 and the sentence of the error when it fails', async () => {
    const failing = () => Promise.reject(new Error('The box is torn.'));
    expect(await run('small', failing)).toEqual({ code: 1, out: '', err: 'The box is torn.\n' });
  });

  it('ends with the codes of the command where it has others', async () => {
    const streams = { out: () => undefined, err: () => undefined };
    const codes = { badUsage: 1, failed: 4 };
    const failing = () => {
      throw new Error('torn');
    };
    expect(await runCommand(PACK, [], streams, () => undefined, codes)).toBe(1);
    expect(await runCommand(PACK, ['small'], streams, failing, codes)).toBe(4);
  });

  it('prints no secret setting', async () => {
    hideFromOutput(['swordfish']);
    expect(await run('small', () => Promise.reject(new Error('swordfish is wrong')))).toMatchObject({
      err: '[redacted] is wrong\n',
    });
  });
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
  expect(closed).toHaveBeenCalledTimes(1);
  await expect(withModule(Boxes, () => Promise.reject(new Error('torn')))).rejects.toThrow('torn');
  expect(closed).toHaveBeenCalledTimes(2);
});
