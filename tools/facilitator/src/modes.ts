import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Facilitator, PaymentCall } from './facilitator';
import type { Authorization } from './token';

/** The reply on the wire: an answer; a text that is no JSON, sent as JSON; silence; a broken connection. */
export type Reply = Answer | { text: string } | 'hang' | 'reset';

/** A control command that cannot be followed; the message says what would do. */
export class BadCommand extends Error {
  readonly statusCode = 400;
}

/** The targets of a mode. */
type Target = PaymentCall['target'] | 'rpc';

/** A mode with its settings, as one call sees it. */
interface ModeRule {
  mode: string;
  /** Reason of a refusal. */
  reason?: string;
  /** HTTP status of a refusal or of a 500. */
  status?: number;
  /** How late an answer comes, or how long a transaction stays pending. */
  ms?: number;
  /** How an answer is lost. */
  then?: 'reset' | 'hang' | '500';
}

/** Sets a mode; see README.md for the modes. */
export interface ModeCommand extends ModeRule {
  /** Where; by default where the mode makes most sense. */
  on?: Target | Target[];
  /** For so many calls of each target; without it until the mode is changed. */
  count?: number;
  /** For calls about payments of this wallet only, whatever mode is on for all. */
  payer?: string;
}

const NO_SIGNATURE = 'invalid_exact_evm_signature';
const NO_MONEY = 'invalid_exact_evm_insufficient_balance';
/** As on Base. */
const BLOCK_MS = 2_000;

type LineMode = (rule: ModeRule, answer: () => Promise<Answer>) => Promise<Reply>;

/** Faults of the line, or of the server as a whole, at any target; by default at verify and settle. */
const LINE_MODES: Readonly<Record<string, LineMode>> = {
  ok: (_, answer) => answer(),
  reset: async () => 'reset',
  hang: async () => 'hang',
  '500': async ({ status = 500 }) => ({ status, body: { error: 'internal_error' } }),
  'bad-json': async () => ({ text: '{"isValid": tru' }),
  slow: async ({ ms = 1_000 }, answer) => {
    const answered = await answer();
    await sleep(ms, undefined, { ref: false });
    return answered;
  },
};

type PaymentMode = (rule: ModeRule, facilitator: Facilitator, call: PaymentCall) => Promise<Reply>;

const refusing =
  (otherwise: string, usual = 200): PaymentMode =>
  async ({ reason = otherwise, status = usual }, facilitator, call) =>
    facilitator.refuse(call, { reason, status });

/** Something happens on the chain between a good verify and the settle. */
const afterVerify =
  (happens: (authorization: Authorization, facilitator: Facilitator) => void): PaymentMode =>
  async (_, facilitator, call) => {
    const answer = await facilitator.answer(call);
    if ('authorization' in call.payment && 'isValid' in answer.body && answer.body.isValid) {
      happens(call.payment.authorization, facilitator);
    }
    return answer;
  };

/** What a facilitator, a payer or a third party does about one payment; by default at settle. */
const PAYMENT_MODES: Readonly<Record<string, PaymentMode>> = {
  invalid: refusing(NO_SIGNATURE),
  refused: refusing(NO_MONEY),
  '500-with-reason': refusing(NO_MONEY, 500),
  'cancelled-after-verify': afterVerify(({ from, nonce }, { chain }) => chain.cancel(from, nonce)),
  'submitted-after-verify': afterVerify((authorization, { chain }) => {
    chain.send([authorization], { submittedBy: 'third_party' });
  }),
  'settled-but-answer-lost': async ({ then = 'reset' }, facilitator, call) => {
    const settled = await facilitator.settle(call);
    return LINE_MODES[then]!({ mode: then }, async () => settled);
  },
  'settled-without-hash': async (_, facilitator, call) => {
    const { status, body } = await facilitator.settle(call);
    return { status, body: { ...body, transaction: '' } };
  },
  duplicate: async (_, facilitator, call) => {
    await facilitator.settle(call);
    return facilitator.refuse(call, { reason: 'duplicate_settlement' });
  },
  'pending-then-success': ({ ms }, facilitator, call) =>
    facilitator.settle(call, { includedAfterMs: ms ?? facilitator.chain.blockMs }),
  'pending-then-never': (_, facilitator, call) => facilitator.settle(call, { includedAfterMs: null }),
  'answered-with-block': async ({ ms = BLOCK_MS }, facilitator, call) => {
    await facilitator.settle(call, { includedAfterMs: ms });
    await sleep(ms);
    return facilitator.settle(call);
  },
  reverted: (_, facilitator, call) => facilitator.settle(call, { reverts: true }),
};
const AT_VERIFY: readonly string[] = ['invalid', 'cancelled-after-verify', 'submitted-after-verify'];

function usualTargets(mode: string): Target[] {
  if (mode === 'ok') return ['verify', 'settle', 'rpc'];
  if (mode in LINE_MODES) return ['verify', 'settle'];
  return AT_VERIFY.includes(mode) ? ['verify'] : ['settle'];
}

/** Which mode is on at which target. One at a time each, and one for each payer; a new one replaces the old. */
export class ModeSwitch {
  private readonly active = new Map<string, { rule: ModeRule; left: number }>();

  /** @throws BadCommand for an unknown mode */
  set({ on, count = Infinity, payer, ...rule }: ModeCommand): void {
    const modes = [...Object.keys(LINE_MODES), ...Object.keys(PAYMENT_MODES)];
    if (!modes.includes(rule.mode)) throw new BadCommand(`mode must be one of: ${modes.join(', ')}`);
    for (const target of [on ?? usualTargets(rule.mode)].flat()) {
      this.active.set(keyOf(target, payer), { rule, left: count });
    }
  }

  async runRpc(answer: () => Answer): Promise<Reply> {
    const rule = this.take('rpc');
    return rule ? LINE_MODES[rule.mode]!(rule, async () => answer()) : answer();
  }

  async runPayment(facilitator: Facilitator, call: PaymentCall): Promise<Reply> {
    const { target, payment } = call;
    const payer = 'authorization' in payment ? payment.authorization.from : undefined;
    const rule = this.take(keyOf(target, payer)) ?? this.take(target);
    if (!rule) return facilitator.answer(call);
    const ofPayment = PAYMENT_MODES[rule.mode];
    if (ofPayment) return ofPayment(rule, facilitator, call);
    return LINE_MODES[rule.mode]!(rule, () => facilitator.answer(call));
  }

  private take(key: string): ModeRule | undefined {
    const active = this.active.get(key);
    if (!active) return undefined;
    active.left -= 1;
    if (active.left <= 0) this.active.delete(key);
    return active.rule;
  }
}

function keyOf(target: Target, payer: string | undefined): string {
  return payer === undefined ? target : `${target} ${payer.toLowerCase()}`;
}
