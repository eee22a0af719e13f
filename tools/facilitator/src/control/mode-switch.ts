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

/** Answers a call about one payment. */
type PaymentMode = (facilitator: Facilitator, call: PaymentCall, rule: ModeRule) => Promise<Reply>;

const NO_SIGNATURE = 'invalid_exact_evm_signature';
const NO_MONEY = 'invalid_exact_evm_insufficient_balance';

/** As on Base. */
const BLOCK_MS = 2_000;

const SLOW_MS = 1_000;

/** Faults of the line, or of the server as a whole, at any target. */
const LINE_MODES = new Map<string, (answer: () => Answer | Promise<Answer>, rule: ModeRule) => Promise<Reply>>([
  ['reset', async () => 'reset'],
  ['hang', async () => 'hang'],
  [
    'slow',
    async (answer, { ms = SLOW_MS }) => {
      const answered = await answer();
      await sleep(ms, undefined, { ref: false });
      return answered;
    },
  ],
  ['500', async (_, { status = 500 }) => ({ status, body: { error: 'internal_error' } })],
  ['bad-json', async () => ({ text: '{"isValid": tru' })],
]);

/** Actions of a facilitator, a payer or a third party on one payment, with the targets they are for when nothing is said. */
const PAYMENT_MODES = new Map<string, { aim: Target[]; run: PaymentMode }>([
  ['invalid', { aim: ['verify'], run: refusal(NO_SIGNATURE) }],
  ['refused', { aim: ['settle'], run: refusal(NO_MONEY) }],
  ['500-with-reason', { aim: ['verify', 'settle'], run: refusal(NO_MONEY, 500) }],
  [
    'settled-but-answer-lost',
    atSettle(async (facilitator, call, { then = 'reset' }) => {
      const settled = await facilitator.settle(call);
      return LINE_MODES.get(then)!(async () => settled, { mode: then });
    }),
  ],
  [
    'settled-without-hash',
    atSettle(async (facilitator, call) => {
      const { status, body } = await facilitator.settle(call);
      return { status, body: { ...body, transaction: '' } };
    }),
  ],
  [
    'duplicate',
    atSettle(async (facilitator, call) => {
      await facilitator.settle(call);
      return facilitator.refuse(call, { reason: 'duplicate_settlement' });
    }),
  ],
  [
    'pending-then-success',
    atSettle(async (facilitator, call, { ms = facilitator.chain.blockMs }) =>
      facilitator.settle(call, { pendingForMs: ms }),
    ),
  ],
  ['pending-then-never', atSettle(async (facilitator, call) => facilitator.settle(call, { pendingForMs: null }))],
  [
    'answered-with-block',
    atSettle(async (facilitator, call, { ms = BLOCK_MS }) => {
      await facilitator.settle(call, { pendingForMs: ms });
      await sleep(ms);
      return facilitator.settle(call);
    }),
  ],
  ['reverted', atSettle(async (facilitator, call) => facilitator.settle(call, { reverts: true }))],
  ['cancelled-after-verify', afterVerify(({ chain }, { from, nonce }) => chain.cancel(from, nonce))],
  [
    'submitted-after-verify',
    afterVerify(({ chain }, transfer) => void chain.send([transfer], { submittedBy: 'third_party' })),
  ],
]);

function refusal(usual: string, usualStatus = 200): PaymentMode {
  return async (facilitator, call, { reason = usual, status = usualStatus }) =>
    facilitator.refuse(call, { reason, status });
}

function atSettle(run: PaymentMode): { aim: Target[]; run: PaymentMode } {
  return { aim: ['settle'], run };
}

type Payment = Exclude<PaymentCall['payment'], PaymentRefused>;

/** Something happens on the chain between a good verify and the settle. */
function afterVerify(happen: (facilitator: Facilitator, authorization: Payment['authorization']) => void): {
  aim: Target[];
  run: PaymentMode;
} {
  const run: PaymentMode = async (facilitator, call) => {
    const answer = await facilitator.answer(call);
    const { payment } = call;
    if ('isValid' in answer.body && answer.body.isValid === true && !(payment instanceof PaymentRefused)) {
      happen(facilitator, payment.authorization);
    }
    return answer;
  };
  return { aim: ['verify'], run };
}

/** Which mode is on at which target. One at a time each, and one for each payer; a new one replaces the old. */
export class ModeSwitch {
  private readonly active = new Map<string, { rule: ModeRule; left: number }>();

  /** @throws BadCommand for an unknown mode */
  set({ on, count = Infinity, payer, ...rule }: ModeCommand): void {
    const names = ['ok', ...LINE_MODES.keys(), ...PAYMENT_MODES.keys()];
    if (!names.includes(rule.mode)) throw new BadCommand(`mode must be one of: ${names.join(', ')}`);
    const aim = rule.mode === 'ok' ? TARGETS : (PAYMENT_MODES.get(rule.mode)?.aim ?? ['verify', 'settle']);
    for (const target of on === undefined ? aim : [on].flat()) {
      if (rule.mode === 'ok') this.active.delete(keyOf(target, payer));
      else this.active.set(keyOf(target, payer), { rule, left: count });
    }
  }

  /** Answers a call that is not about one payment. */
  async run(target: Target, answer: () => Answer): Promise<Reply> {
    const rule = this.take(target);
    return rule ? LINE_MODES.get(rule.mode)!(answer, rule) : answer();
  }

  async runPayment(facilitator: Facilitator, call: PaymentCall): Promise<Reply> {
    const { target, payment } = call;
    const payer = payment instanceof PaymentRefused ? undefined : payment.authorization.from;
    const rule = this.take(keyOf(target, payer)) ?? this.take(target);
    const answer = () => facilitator.answer(call);
    if (!rule) return answer();
    const line = LINE_MODES.get(rule.mode);
    return line ? line(answer, rule) : PAYMENT_MODES.get(rule.mode)!.run(facilitator, call, rule);
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
