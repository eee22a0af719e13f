import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SecretKey } from '@evenkeel/platform/config';
import { AnswerCipher } from './answers';
import { type PaymentEvent, type PaymentState, TRANSITIONS } from './payment-state';

describe('the model and the code', () => {
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
});

describe('AnswerCipher', () => {
  const aKey = (kid: string): SecretKey => ({ kid, key: randomBytes(32) });
  const [old, current] = [aKey('old'), aKey('a-longer_name_16')];
  const cipher = new AnswerCipher([current, old]);
  const body = Buffer.from('{"plan":[]}');
  const id = '0194b3a0-7c1e-7d2a-9f00-0123456789ab';

  it('gives back what it took, and writes it differently each time', () => {
    const stored = cipher.encrypt(id, body);
    expect(cipher.decrypt(id, stored)).toEqual(body);
    expect(stored.equals(cipher.encrypt(id, body))).toBe(false);
    expect(stored.includes(body)).toBe(false);
  });

  it('encrypts with the first key and still reads the others', () => {
    const stored = new AnswerCipher([old]).encrypt(id, body);
    expect(cipher.decrypt(id, stored)).toEqual(body);
    expect(new AnswerCipher([old]).decrypt(id, cipher.encrypt(id, body))).toBeNull();
  });

  it('reads nothing under another payment', () => {
    expect(cipher.decrypt(id.replace('0194', '0195'), cipher.encrypt(id, body))).toBeNull();
  });

  it('reads nothing when any byte was altered', () => {
    const stored = cipher.encrypt(id, body);
    for (let place = 0; place < stored.length; place++) {
      const altered = Buffer.from(stored);
      altered[place]! ^= 1;
      expect(cipher.decrypt(id, altered)).toBeNull();
    }
  });
});
