import { BENCH, PARTS } from './bench-options';

describe('the options', () => {
  it('runs everything by default', () => {
    const defaults = { rounds: 5, seconds: 2, payments: 1_000_000, subscriptions: 1_000_000, profileTo: undefined };
    expect(BENCH.parse([])).toEqual({ ...defaults, parts: PARTS });
  });

  it('takes parts, rounds and seconds', () => {
    const options = BENCH.parse(['--only', 'engine', '--only', 'paid', '--rounds', '3', '--seconds', '0.5']);
    expect(options).toMatchObject({ parts: ['engine', 'paid'], rounds: 3, seconds: 0.5 });
  });

  it.each([
    [['--payments', '10000000'], 10_000_000, 10_000_000],
    [['--payments', '10000000', '--subscriptions', '20000'], 10_000_000, 20_000],
  ])('has as many people with subscriptions as payments, unless it is said: %j', (args, payments, subscriptions) => {
    expect(BENCH.parse(args)).toMatchObject({ payments, subscriptions });
  });

  it.each([
    [['--only', 'all'], 'there are engine, bodies, challenge, paid, whole, observability, relay, reporting'],
    [['--rounds', '0'], '--rounds must be a number from 1 to 50'],
    [['--seconds', 'x'], '--seconds must be a number from 0.2 to 60'],
    [['--payments', '10'], '--payments must be a number from 20000'],
    [['--subscriptions', '0'], '--subscriptions must be an integer from 20000'],
    [['--loud'], "Unknown option '--loud'"],
  ])('refuses %j in a sentence', (args, sentence) => expect(() => BENCH.parse(args)).toThrow(sentence));
});
