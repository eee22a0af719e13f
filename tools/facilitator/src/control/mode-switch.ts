import { setTimeout as sleep } from 'node:timers/promises';
import { HttpRefusal, type Reply } from '../http/server';
import type { Answer, Facilitator, PaymentCall } from '../payments/facilitator';
import { PaymentRefused } from '../payments/refusal';

/** A control command that cannot be followed; the message says what would do. */
export class BadCommand extends HttpRefusal {
  constructor(message: string) {
    super(400, 'bad_command', message);
  }
}

/** The targets of a mode. */
const TARGETS = ['supported', 'verify', 'settle', 'rpc'] as const;

export type Target = (typeof TARGETS)[number];

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

const PAYMENT: readonly Target[] = ['verify', 'settle'];

/** All modes, with the targets they are for when nothing is said. */
const AIMS: Readonly<Record<string, readonly Target[]>> = {
  ok: TARGETS,
  reset: PAYMENT,
  hang: PAYMENT,
  slow: PAYMENT,
  '500': PAYMENT,
  '500-with-reason': PAYMENT,
  'bad-json': PAYMENT,
  invalid: ['verify'],
  'cancelled-after-verify': ['verify'],
  'submitted-after-verify': ['verify'],
  refused: ['settle'],
  'settled-but-answer-lost': ['settle'],
  'settled-without-hash': ['settle'],
  duplicate: ['settle'],
  'pending-then-success': ['settle'],
  'pending-then-never': ['settle'],
  'answered-with-block': ['settle'],
  reverted: ['settle'],
};

const NO_SIGNATURE = 'invalid_exact_evm_signature';
const NO_MONEY = 'invalid_exact_evm_insufficient_balance';
/** As on Base. */
const BLOCK_MS = 2_000;
const SLOW_MS = 1_000;

/** Faults of the line, or of the server as a whole, at any target. */
async function lineReply(
  { mode, ms = SLOW_MS, status = 500 }: ModeRule,
  answer: () => Answer | Promise<Answer>,
): Promise<Reply> {
  if (mode === 'reset' || mode === 'hang') return mode;
  if (mode === '500') return { status, body: { error: 'internal_error' } };
  if (mode === 'bad-json') return { text: '{"isValid": tru' };
  const answered = await answer();
  await sleep(ms, undefined, { ref: false });
  return answered;
}

/** Actions of a facilitator, a payer or a third party on one payment. */
async function paymentReply(rule: ModeRule, facilitator: Facilitator, call: PaymentCall): Promise<Reply> {
  const { chain } = facilitator;
  const { reason, status, ms } = rule;
  switch (rule.mode) {
    case 'invalid':
      return facilitator.refuse(call, { reason: reason ?? NO_SIGNATURE, status });
    case 'refused':
      return facilitator.refuse(call, { reason: reason ?? NO_MONEY, status });
    case '500-with-reason':
      return facilitator.refuse(call, { reason: reason ?? NO_MONEY, status: status ?? 500 });
    case 'settled-but-answer-lost': {
      const settled = await facilitator.settle(call);
      return lineReply({ mode: rule.then ?? 'reset' }, () => settled);
    }
    case 'settled-without-hash': {
      const settled = await facilitator.settle(call);
      return { ...settled, body: { ...settled.body, transaction: '' } };
    }
    case 'duplicate':
      await facilitator.settle(call);
      return facilitator.refuse(call, { reason: 'duplicate_settlement' });
    case 'pending-then-success':
      return facilitator.settle(call, { pendingForMs: ms ?? chain.blockMs });
    case 'pending-then-never':
      return facilitator.settle(call, { pendingForMs: null });
    case 'answered-with-block':
      await facilitator.settle(call, { pendingForMs: ms ?? BLOCK_MS });
      await sleep(ms ?? BLOCK_MS);
      return facilitator.settle(call);
    case 'reverted':
      return facilitator.settle(call, { reverts: true });
    case 'cancelled-after-verify':
    case 'submitted-after-verify': {
      // Something happens on the chain between a good verify and the settle.
      const answer = await facilitator.answer(call);
      const isValid = 'isValid' in answer.body && answer.body.isValid === true;
      if (!isValid || call.payment instanceof PaymentRefused) return answer;
      const { authorization } = call.payment;
      if (rule.mode === 'cancelled-after-verify') chain.cancel(authorization.from, authorization.nonce);
      else chain.send([authorization], { submittedBy: 'third_party' });
      return answer;
    }
    default:
      return lineReply(rule, () => facilitator.answer(call));
  }
}

/** Which mode is on at which target. One at a time each, and one for each payer; a new one replaces the old. */
export class ModeSwitch {
  private readonly active = new Map<string, { rule: ModeRule; left: number }>();

  /** @throws BadCommand for an unknown mode */
  set({ on, count = Infinity, payer, ...rule }: ModeCommand): void {
    if (!Object.hasOwn(AIMS, rule.mode)) throw new BadCommand(`mode must be one of: ${Object.keys(AIMS).join(', ')}`);
    for (const target of [on ?? AIMS[rule.mode]!].flat()) {
      if (rule.mode === 'ok') this.active.delete(keyOf(target, payer));
      else this.active.set(keyOf(target, payer), { rule, left: count });
    }
  }

  /** Answers a call that is not about one payment. */
  async run(target: Target, answer: () => Answer): Promise<Reply> {
    const rule = this.take(target);
    return rule ? lineReply(rule, answer) : answer();
  }

  async runPayment(facilitator: Facilitator, call: PaymentCall): Promise<Reply> {
    const { target, payment } = call;
    const payer = payment instanceof PaymentRefused ? undefined : payment.authorization.from;
    const rule = this.take(keyOf(target, payer)) ?? this.take(target);
    return rule ? paymentReply(rule, facilitator, call) : facilitator.answer(call);
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
