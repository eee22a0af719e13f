import { Injectable, Module } from '@nestjs/common';
import { hideFromOutput } from '../config/secrets';
import {
  Argument,
  Command,
  decimalOption,
  integerOption,
  InvalidArgumentError,
  readInstant,
  runCommand,
  withModule,
} from '.';

const PACK = new Command('npm run pack --')
  .description('Packs a box.')
  .addArgument(new Argument('<box>', 'what is packed').choices(['small', 'large']))
  .addOption(integerOption('--things <n>', 'how many', 1, 50).default(5))
  .addOption(decimalOption('--weight <kg>', 'of each', 0.2, 60))
  .option('--tied', 'with a string', false);

const HELP = `Usage: npm run pack -- [options] <box>

Packs a box.

Arguments:
  box            what is packed (choices: "small", "large")

Options:
  --things <n>   how many, 1 to 50 (default: 5)
  --weight <kg>  of each, 0.2 to 60
  --tied         with a string (default: false)
  -h, --help     display help for command
`;

type Work = (typed: object) => Promise<number | void> | number | void;

async function run(line: string, work: Work = () => undefined, codes?: { badUsage: number; failed: number }) {
  let [out, err] = ['', ''];
  const streams = { out: (part: string) => void (out += part), err: (part: string) => void (err += part) };
  const code = await runCommand(PACK, line.split(' '), streams, work, codes);
  return { code, out, err };
}

it.each([
  ['small', { things: 5, tied: false, args: ['small'] }],
  ['--things 3 --weight=0.5 large --tied', { things: 3, weight: 0.5, tied: true, args: ['large'] }],
])('gives the work what is typed, and what applies without it: %s', async (line, typed) => {
  const work = jest.fn<void, [object]>();
  expect(await run(line, work)).toEqual({ code: 0, out: '', err: '' });
  expect(work.mock.calls[0]![0]).toEqual(typed);
});

it.each([
  ['small --things 0', 'It must be an integer from 1 to 50.'],
  ['small --things 1e1', 'It must be an integer from 1 to 50.'],
  ['small --weight x', 'It must be a number from 0.2 to 60.'],
  ['small --weight=', 'It must be a number from 0.2 to 60.'],
  ['small --loud', "error: unknown option '--loud'"],
  ['--tied', "error: missing required argument 'box'"],
])('refuses %s in a sentence, and says how to get the help', async (line, sentence) => {
  const work = jest.fn();
  const { code, out, err } = await run(line, work);
  expect([code, out, err.endsWith(`${sentence}\nSee npm run pack -- --help\n`)]).toEqual([2, '', true]);
  expect(work).not.toHaveBeenCalled();
});

it.each([
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ['2026-01-31T12:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-02-01T01:30:00.5+02:00', '2026-01-31T23:30:00.500Z'],
])('reads the instant %s as %s', (typed, instant) => expect(readInstant(typed)?.toISOString()).toBe(instant));

// Another day to JavaScript; of the zone of the machine; no time at all.
it.each([
  '2026-02-30',
  '2026-02-29T12:00:00Z',
  '2026-13-01',
  '2026-01-31T12:00',
  '2026-01-31 12:00',
  '2026-01-31T25:00Z',
])('does not read %s as an instant', (typed) => expect(readInstant(typed)).toBeUndefined());

it('gives the help, whatever else is missing', async () => {
  const work = jest.fn();
  expect(await run('--tied --help', work)).toEqual({ code: 0, out: HELP, err: '' });
  expect(work).not.toHaveBeenCalled();
});

const asked = () => Promise.reject(new InvalidArgumentError('No.'));
it.each<[string, Work, codes: { badUsage: number; failed: number } | undefined, object]>([
  ['the code of the work', () => 3, undefined, { code: 3, out: '', err: '' }],
  ['2 when the work finds it asked wrongly', asked, undefined, { code: 2, err: 'No.\nSee npm run pack -- --help\n' }],
  ['1 and the sentence of its error', () => Promise.reject(new Error('Torn.')), undefined, { code: 1, err: 'Torn.\n' }],
  ['its own codes', () => Promise.reject(new Error('Torn.')), { badUsage: 1, failed: 4 }, { code: 4 }],
  ['its own codes for a wrong call', asked, { badUsage: 1, failed: 4 }, { code: 1 }],
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
