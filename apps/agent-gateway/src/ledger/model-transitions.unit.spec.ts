import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TRANSITIONS, type PaymentEvent, type PaymentState } from './payment-state';

const STATES: Record<string, PaymentState> = {
  SETTLING: 'settling',
  PENDING: 'settlement_pending',
  NEEDS: 'needs_reconciliation',
  SETTLED: 'settled',
  FAILED: 'settlement_failed',
};
/** Behind one of these stands a rule left out or a planted fault, which shows that a property can fail. */
const NOT_OF_THE_PROTOCOL = /!R_|MUT == /;

function modelText(file: 'transitions.pml' | 'payment.pml' | 'bound.pml'): string {
  return readFileSync(join(__dirname, '../../../../docs/model', file), 'utf8');
}

/** The model's transitions in the shape of the code's: each `inline on_<event>(s)` and its guarded assignments. */
function transitionsIn(text: string): Record<string, Partial<Record<PaymentState, PaymentState>>> {
  return Object.fromEntries(
    [...text.matchAll(/^inline on_(\w+)\(s\) \{\n([^]*?)^\}/gm)].map(([, event, body]) => [event!, movesIn(body!)]),
  );
}

function movesIn(body: string): Partial<Record<PaymentState, PaymentState>> {
  const moves = [...body.matchAll(/^ {2}:: \(([^)]*)\) -> s = (\w+)$/gm)];
  const known = moves.map(([line]) => line);
  const rest = body.split('\n').filter((line) => line.trim() !== '' && !known.includes(line));
  if (rest.map((line) => line.trim()).join(' ') !== 'if :: else fi')
    throw new Error(`cannot be read: ${rest.join(' ')}`);
  return Object.fromEntries(
    moves.flatMap(([, guard, to]) =>
      guard!.split(' || ').map((test) => [stateOf(test.replace(/^s == /, '')), stateOf(to!)]),
    ),
  );
}

function stateOf(name: string): PaymentState {
  const state = STATES[name];
  if (!state) throw new Error(`no state of the model: ${name}`);
  return state;
}

/** Where a model changes the state of a row past its transitions, apart from the claim and from planted faults. */
function otherChangesIn(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => /\b(rSt|st\[\w+\]) = (?!SETTLING\b)/.test(line) && !NOT_OF_THE_PROTOCOL.test(line))
    .map((line) => line.trim());
}

/** The events that a model makes happen. */
function eventsIn(text: string): Set<PaymentEvent> {
  return new Set([...text.matchAll(/\bon_(\w+)\((?:rSt|st\[\w+\])\)/g)].map(([, event]) => event as PaymentEvent));
}

describe('the checked model of the protocol (docs/model)', () => {
  it('has the transitions of the code, and no other', () => {
    expect(transitionsIn(modelText('transitions.pml'))).toEqual(TRANSITIONS);
  });

  it.each(['payment.pml', 'bound.pml'] as const)('%s changes states by these transitions alone', (file) => {
    expect(otherChangesIn(modelText(file))).toEqual([]);
  });

  it('makes every event of the code happen', () => {
    expect([...eventsIn(modelText('payment.pml'))].toSorted()).toEqual(Object.keys(TRANSITIONS).toSorted());
  });
});

describe('a model that differs', () => {
  const text = modelText('transitions.pml');

  it.each([
    [
      'leaves another state',
      text.replace('(s == SETTLING || s == PENDING) -> s = NEEDS', '(s == SETTLING) -> s = NEEDS'),
    ],
    ['leads to another state', text.replace('s = NEEDS', 's = FAILED')],
    ['has one event less', text.replace(/^inline on_void[^]*?^\}/m, '')],
    [
      'has one event more',
      `${text}\ninline on_forgotten(s) {\n  if\n  :: (s == PENDING) -> s = FAILED\n  :: else\n  fi\n}\n`,
    ],
  ])('%s: is found', (_, other) => {
    expect(other).not.toBe(text);
    expect(transitionsIn(other)).not.toEqual(TRANSITIONS);
  });

  it('in a way that cannot be read is an error', () => {
    expect(() => transitionsIn(text.replace('s = NEEDS', 's = NEEDS; s = FAILED'))).toThrow('cannot be read');
    expect(() => transitionsIn(text.replace('s = NEEDS', 's = LOST'))).toThrow('no state of the model: LOST');
  });

  it('without its transitions is found', () => {
    expect(otherChangesIn('  :: atomic { rEx -> rSt = SETTLED }')).toEqual([':: atomic { rEx -> rSt = SETTLED }']);
    expect(otherChangesIn('  :: (!R_REFUSE && rSt == PENDING) -> rSt = FAILED')).toEqual([]);
  });
});
