import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SecretKey } from '@evenkeel/platform/config';
import { AnswerCipher } from './answers';
import { TRANSITIONS } from './payment-state';

describe('the checked model of the protocol (docs/model)', () => {
  const STATES: Record<string, string> = {
    SETTLING: 'settling',
    PENDING: 'settlement_pending',
    NEEDS: 'needs_reconciliation',
    SETTLED: 'settled',
    FAILED: 'settlement_failed',
  };
  const modelText = (file: string) => readFileSync(join(__dirname, '../../../../docs/model', file), 'utf8');

  /** Of one event: lines like `:: (s == SETTLING || s == PENDING) -> s = FAILED` between `if` and `:: else fi`. */
  function movesIn(body: string): Record<string, string> {
    const move = /^ {2}:: \(([^)]*)\) -> s = (\w+)$/gm;
    expect(body.replace(move, '').replaceAll(/\s+/g, ' ').trim()).toBe('if :: else fi');
    const moves = [...body.matchAll(move)].flatMap(([, guard, to]) =>
      guard!.split(' || ').map((test) => [STATES[test.replace('s == ', '')]!, STATES[to!]!] as const),
    );
    return Object.fromEntries(moves);
  }

  it('has the transitions of the code, and no other', () => {
    const events = [...modelText('transitions.pml').matchAll(/^inline on_(\w+)\(s\) \{\n([^]*?)^\}/gm)];
    expect(Object.fromEntries(events.map(([, event, body]) => [event, movesIn(body!)]))).toEqual(TRANSITIONS);
  });

  it.each(['payment.pml', 'bound.pml'])('%s changes states by these transitions alone', (file) => {
    const changes = modelText(file)
      .split('\n')
      .filter((line) => /\b(rSt|st\[\w+\]) = (?!SETTLING\b)/.test(line));
    // Behind `!R_` and `MUT == ` stands a rule left out or a planted fault, which shows that a property can fail.
    expect(changes.filter((line) => !/!R_|MUT == /.test(line))).toEqual([]);
  });

  it('makes every event of the code happen', () => {
    const events = [...modelText('payment.pml').matchAll(/\bon_(\w+)\((?:rSt|st\[\w+\])\)/g)].map(([, event]) => event);
    expect([...new Set(events)].toSorted()).toEqual(Object.keys(TRANSITIONS).toSorted());
  });
});

describe('a stored answer', () => {
  const aKey = (kid: string): SecretKey => ({ kid, key: randomBytes(32) });
  const [old, current] = [aKey('old'), aKey('a-longer_name_16')];
  const cipher = new AnswerCipher([current, old]);
  const body = Buffer.from('{"plan":[]}');
  const id = '0194b3a0-7c1e-7d2a-9f00-0123456789ab';
  const stored = cipher.encrypt(id, body);

  it('is read again by its key, and is written differently each time', () => {
    expect(cipher.decrypt(id, stored)).toEqual(body);
    expect([stored.equals(cipher.encrypt(id, body)), stored.includes(body)]).toEqual([false, false]);
    expect(cipher.decrypt(id, new AnswerCipher([old]).encrypt(id, body))).toEqual(body);
    expect(new AnswerCipher([old]).decrypt(id, stored)).toBeNull();
  });

  it('is not read under another payment, nor when any byte was altered', () => {
    expect(cipher.decrypt(id.replace('0194', '0195'), stored)).toBeNull();
    for (let place = 0; place < stored.length; place++) {
      const altered = Buffer.from(stored);
      altered[place]! ^= 1;
      expect(cipher.decrypt(id, altered)).toBeNull();
    }
  });
});
