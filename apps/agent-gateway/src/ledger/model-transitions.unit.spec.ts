import { eventsIn, modelText, otherChangesIn, transitionsIn } from './model-transitions.fixture';
import { TRANSITIONS } from './payment-state';

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
    ['leads elsewhere', text.replace('s = NEEDS', 's = FAILED')],
    ['has one event less', text.replace(/^inline on_void[^]*?^\}/m, '')],
    [
      'has one event more',
      `${text}\ninline on_forgotten(s) {\n  if\n  :: (s == PENDING) -> s = FAILED\n  :: else\n  fi\n}\n`,
    ],
  ])('%s: is told apart', (_, other) => {
    expect(other).not.toBe(text);
    expect(transitionsIn(other)).not.toEqual(TRANSITIONS);
  });

  it('in a way that cannot be read is an error', () => {
    expect(() => transitionsIn(text.replace('s = NEEDS', 's = NEEDS; s = FAILED'))).toThrow('cannot be read');
    expect(() => transitionsIn(text.replace('s = NEEDS', 's = LOST'))).toThrow('no state of the model: LOST');
  });

  it('past its transitions is told', () => {
    expect(otherChangesIn('  :: atomic { rEx -> rSt = SETTLED }')).toEqual([':: atomic { rEx -> rSt = SETTLED }']);
    expect(otherChangesIn('  :: (!R_REFUSE && rSt == PENDING) -> rSt = FAILED')).toEqual([]);
  });
});
