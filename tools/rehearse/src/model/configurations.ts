import { CommandLine, choices, flag, integer } from '@evenkeel/platform/command-line';

/** How much time a search takes: seconds; up to a minute; minutes and gigabytes. */
export const SIZES = ['quick', 'usual', 'large'] as const;

export type Size = (typeof SIZES)[number];

/** One exhaustive search of the model. */
export interface Configuration {
  name: string;
  /** Which of the models in docs/model. */
  model: 'payment' | 'bound' | 'batch';
  /** What is switched how; docs/model/README.md says what each name means. */
  switches: Readonly<Record<string, number>>;
  /** `fails`: with this the model must find a counterexample, or it could not find any. */
  expected: 'holds' | 'fails';
  size: Size;
}

type Finding = 'holds' | 'fails' | 'unfinished';

export interface Search {
  found: Finding;
  /** As spin writes it: whole, or with an exponent. */
  states: string;
  seconds: string;
}

type Switches = Configuration['switches'];

const EVERY_RULE = 2 ** 12 - 1;
const without = (rule: number): Switches => ({ RULES: EVERY_RULE & ~(1 << rule) });

/** Two identical requests, two settle calls. */
const copies: Switches = { NX: 2, NY: 0, NC: 2, NW: 0, FAULTS: 0 };

/** One request and another one with the same authorization. */
const otherBody: Switches = { ...copies, NX: 1, NY: 1 };

const one: Switches = { ...copies, NX: 1 };

/** A lagging node, a hasty operator, changed prices: nothing that may break the protocol. */
const harsh: Switches = { ...copies, STALE: 1, EARLYOP: 1, PRICE: 1 };

/** One failing statement, one killed replica, or the settle circuit open once. */
const fault: Switches = { FAULTS: 1 };

const alone: Switches = { THIRD: 0, CANCEL: 0 };
const property = (id: number): Switches => ({ CHECK: id });

const payment = (name: string, expected: Configuration['expected'], size: Size, ...switches: Switches[]) => ({
  ...{ name, model: 'payment', expected, size },
  switches: Object.assign({}, ...switches) as Switches,
});

const holds = (name: string, size: Size, ...switches: Switches[]) => payment(name, 'holds', size, harsh, ...switches);
const fails = (name: string, ...switches: Switches[]) => payment(name, 'fails', 'usual', copies, ...switches);

const small =
  (model: 'bound' | 'batch') =>
  (name: string, expected: Configuration['expected'], switches: Switches = {}) =>
    ({ name, model, expected, size: 'quick', switches }) as const;
const bound = small('bound');
const batch = small('batch');

export const CONFIGURATIONS = [
  holds('protocol', 'quick'),
  holds('version-1-verify', 'usual', { V2: 0 }),
  holds('no-chain-access', 'quick', { RPC: 0, EARLYOP: 0 }),
  holds('take-over-at-any-time', 'large', { TIMED: 0 }),
  holds('unclear-answers', 'usual', { UNSURE: 1 }),
  bound('two-payments', 'holds'),
  batch('many-nonces-in-one-transaction', 'holds'),
  batch('many-nonces-and-a-slip-of-the-operator', 'holds', { SLIPS: 1 }),

  bound('two-payments-wallet-row-missing', 'fails', { UPSERT: 0 }),
  bound('two-payments-read-before-the-lock', 'fails', { ONESTMT: 1 }),

  fails('without-unknown-after-a-failed-claim', without(0), fault, property(5)),
  fails('without-look-up-while-the-circuit-is-open', without(1), fault, property(5)),
  { ...fails('without-refusal-only-while-settling', without(2), property(2), { V2: 0 }), size: 'quick' },
  fails('without-reverted-decides-nothing', without(3), property(2), alone, { V2: 0 }),
  fails('without-last-look', without(4), property(41)),
  fails('without-402-only-once-written', without(5), fault, property(2), alone),
  fails('without-unknown-after-a-failed-look-up', without(6), fault, property(2)),
  fails('without-stored-answer-in-reconciliation', without(7), property(9)),
  fails('without-late-block', without(8), property(41), { STALE: 1 }),
  fails('without-patient-operator', without(9), property(41), { EARLYOP: 1 }),
  fails('without-look-up-before-our-own-terms', without(10), property(2), { PRICE: 1 }),
  { ...fails('without-its-own-transfer', without(11), property(1)), size: 'quick' },
  batch('many-nonces-without-their-own-transfers', 'fails', { OWN: 0 }),
  batch('many-nonces-without-the-unique-key', 'fails', { KEY: 0, SLIPS: 1 }),
  fails('without-any-rule', { RULES: 0 }, fault, property(4)),
  fails('without-late-block-never-settled', without(8), fault, property(42), { STALE: 1 }),

  { ...fails('planted-settled-twice', { MUT: 3 }, property(1)), size: 'quick' },
  fails('planted-served-without-bound', { MUT: 2 }, property(3), { V2: 0 }),
  fails('planted-other-body-answered', { MUT: 1 }, property(6), otherBody),
  { ...fails('planted-nobody-closes', { MUT: 4 }, one, { RPC: 0 }), size: 'quick' },

  fails('race-402-to-a-copy', harsh, property(22)),
  fails('race-502-to-a-copy', harsh, property(52)),
  fails('race-402-after-a-third-party', harsh, property(21)),

  holds('one-fault', 'large', fault),
  holds('one-fault-version-1-verify', 'large', fault, { V2: 0 }),
  holds('one-fault-no-chain-access', 'large', fault, { RPC: 0, EARLYOP: 0 }),
  holds('one-fault-other-body', 'large', otherBody, fault),
  holds('two-faults-worker-settles', 'large', one, { NW: 1, FAULTS: 2 }),
] as Configuration[];

/** Reads what the searching program of spin says at its end. A search that was cut short proves nothing. */
export function readSearch(output: string): Search {
  const states = /^ *([0-9.e+]+) states, stored/m.exec(output)?.[1] ?? '-';
  const seconds = /elapsed time ([0-9.]+) sec/.exec(output)?.[1] ?? '0';
  const errors = Number(/errors: (\d+)/.exec(output)?.[1] ?? NaN);
  const isWhole = errors === 0 && !/not completed|max search depth too small/.test(output);
  return { found: errors > 0 ? 'fails' : isWhole ? 'holds' : 'unfinished', states, seconds };
}

export interface ModelOptions {
  configurations: Configuration[];
  /** Print the counterexamples. */
  trace: boolean;
  /** Searches at the same time. */
  jobs: number;
  /** Whether what is missing may be installed. */
  installs: boolean;
}

export function modelCommand(all: readonly Configuration[]) {
  return new CommandLine({
    call: 'npm run model',
    about: `Checks the payment protocol of docs/model exhaustively, with spin and gcc: that its properties hold, and that each of
them fails when a rule is left out or a fault is planted. One line for each search; exit 1 when one is not as expected.`,
    options: {
      quick: flag('seconds: the smallest searches'),
      large: flag('the searches of many million states too: half an hour, up to 6 GB'),
      only: choices({ help: 'one search; may be given more than once', of: all.map(({ name }) => name) }),
      trace: flag('print each counterexample that is found'),
      jobs: integer({
        help: 'searches at the same time; --large runs its own one by one',
        ...{ from: 1, to: 16, fallback: 2, must: 'be a whole number from 1 to 16.' },
      }),
      noInstall: flag('as root on Debian too: do not install spin and gcc when they are missing'),
    },
    read: ({ quick, large, only, trace, jobs, noInstall }): ModelOptions => {
      const upTo: Size = large ? 'large' : quick ? 'quick' : 'usual';
      const configurations = only
        ? only.map((name) => all.find((one) => one.name === name)!)
        : all.filter(({ size }) => SIZES.indexOf(size) <= SIZES.indexOf(upTo));
      return { configurations, trace, jobs, installs: !noInstall };
    },
  });
}
