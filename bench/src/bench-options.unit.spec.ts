import { PARTS, readOptions } from './bench-options';

describe('readOptions', () => {
  it('runs everything by default', () => {
    expect(readOptions([])).toEqual({ help: false, parts: PARTS, rounds: 5, seconds: 2, profileTo: undefined });
  });

  it('takes parts, rounds and seconds', () => {
    const options = readOptions(['--only', 'engine', '--only', 'paid', '--rounds', '3', '--seconds', '0.5']);
    expect(options).toMatchObject({ parts: ['engine', 'paid'], rounds: 3, seconds: 0.5 });
  });

  it.each([
    [['--only', 'all'], 'there are engine, challenge, paid, relay'],
    [['--rounds', '0'], '--rounds must be a number from 1 to 50'],
    [['--seconds', 'x'], '--seconds must be a number from 0.2 to 60'],
    [['--loud'], "Unknown option '--loud'"],
  ])('refuses %j in a sentence', (args, sentence) => expect(() => readOptions(args)).toThrow(sentence));
});
