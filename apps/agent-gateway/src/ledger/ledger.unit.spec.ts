import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SecretKey } from '@evenkeel/platform/config';
import { eventually } from '@evenkeel/platform/testing';
import { Deadline, DeadlineExceeded } from '../calls/deadline';
import { AnswerCipher } from './answers';
import { WalletQueue } from './ledger-pool';
import { type PaymentEvent, type PaymentState, statesLeftBy, TRANSITIONS, UNRESOLVED_STATES } from './payment-state';

describe('the states of a payment', () => {
  const STATES: PaymentState[] = [
    'settling',
    'settled',
    'settlement_pending',
    'needs_reconciliation',
    'settlement_failed',
  ];

  /** docs/protocol.md, state by state: where each event leads; an event that is not named changes nothing. */
  const TABLE: Record<PaymentState, Partial<Record<PaymentEvent, PaymentState>>> = {
    settling: {
      settled: 'settled',
      refused: 'settlement_failed',
      unknown: 'settlement_pending',
      contested: 'needs_reconciliation',
    },
    settlement_pending: { settled: 'settled', contested: 'needs_reconciliation', void: 'settlement_failed' },
    needs_reconciliation: { settled: 'settled', void: 'settlement_failed' },
    settlement_failed: { settled: 'settled' },
    settled: {},
  };

  const events = Object.keys(TRANSITIONS) as PaymentEvent[];
  it.each(STATES.flatMap((state) => events.map((event) => [state, event] as const)))('%s, %s', (state, event) => {
    expect(TRANSITIONS[event][state]).toBe(TABLE[state][event]);
  });

  it('are left by an event exactly where it leads on', () => {
    for (const event of events) {
      expect(statesLeftBy(event).toSorted()).toEqual(STATES.filter((state) => TABLE[state][event]).toSorted());
    }
  });

  it('are open while neither revenue nor refusal', () => {
    expect(UNRESOLVED_STATES).toEqual(['settlement_pending', 'needs_reconciliation']);
  });
});

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

  it('takes an empty answer and a long one', () => {
    for (const answer of [Buffer.alloc(0), randomBytes(100_000)]) {
      expect(cipher.decrypt(id, cipher.encrypt(id, answer))).toEqual(answer);
    }
  });

  it('encrypts with the first key and still reads the others', () => {
    const stored = new AnswerCipher([old]).encrypt(id, body);
    expect(cipher.decrypt(id, stored)).toEqual(body);
    expect(new AnswerCipher([old]).decrypt(id, cipher.encrypt(id, body))).toBeNull();
  });

  it('reads nothing with another key of the same name', () => {
    expect(new AnswerCipher([aKey(current.kid)]).decrypt(id, cipher.encrypt(id, body))).toBeNull();
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

  it('reads nothing when the end is missing', () => {
    const stored = cipher.encrypt(id, body);
    for (let length = 0; length < stored.length; length++) {
      expect(cipher.decrypt(id, stored.subarray(0, length))).toBeNull();
    }
  });
});

describe('WalletQueue', () => {
  const locked = () => Promise.reject(Object.assign(new Error('locked'), { code: '55P03' }));

  /** An attempt that ends when the test ends it. */
  function aHeldAttempt(begun: string[], name: string) {
    let end!: () => void;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const attempt = async () => {
      begun.push(name);
      await ended;
      return name;
    };
    return { attempt, end };
  }

  it('works for two wallets at once, one row of each, and gives the wallets their turns', async () => {
    const queue = new WalletQueue();
    const begun: string[] = [];
    const rows = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => ({ name, ...aHeldAttempt(begun, name) }));
    const results = rows.map(({ name, attempt }) => queue.run(name[0]!, attempt));
    await eventually(() => expect(begun).toEqual(['a1', 'b1']));
    rows[0]!.end();
    await eventually(() => expect(begun).toEqual(['a1', 'b1', 'c1']));
    for (const { end } of rows) end();
    expect(await Promise.all(results)).toEqual(rows.map(({ name }) => name));
    expect(['a', 'b', 'c'].some((wallet) => queue.has(wallet))).toBe(false);
  });

  it('tries again until there is no lock any more', async () => {
    let attempts = 0;
    const queue = new WalletQueue();
    const attempt = () => (++attempts < 3 ? locked() : Promise.resolve('written'));
    await expect(queue.run('a', attempt)).resolves.toBe('written');
    expect(attempts).toBe(3);
  });

  it('begins nothing that would come too late', async () => {
    const attempt = jest.fn(locked);
    const queue = new WalletQueue();
    await expect(queue.run('a', attempt, new Deadline(300))).rejects.toThrow(DeadlineExceeded);
    expect(attempt).not.toHaveBeenCalled();
  });

  it('passes on any other error at once', async () => {
    const queue = new WalletQueue();
    await expect(queue.run('a', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    expect(queue.has('a')).toBe(false);
  });
});
