import { setTimeout as sleep } from 'node:timers/promises';
import { reply, type Reply } from '../http/serve';
import type { Answer, PaymentCall } from '../payments/payment-call';
import { BadCommand, type Target, TARGETS } from './control-command';

/** How an answer is lost. */
export type Loss = 'reset' | 'hang' | '500';

/** A mode with its settings, as one call sees it. */
interface ModeRule {
  mode: string;
  /** Reason of a refusal. */
  reason?: string;
  /** HTTP status of a refusal or of a 500. */
  status?: number;
  /** How late an answer comes, or how long a transaction stays pending. */
  ms?: number;
  then?: Loss;
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

const eitherAtVerify = { targets: ['verify', 'settle'], aim: ['verify'] } as const;
const eitherAtSettle = { targets: ['verify', 'settle'], aim: ['settle'] } as const;
const either = { targets: ['verify', 'settle'], aim: ['verify', 'settle'] } as const;
const atVerify = { targets: ['verify'], aim: ['verify'] } as const;
const atSettle = { targets: ['settle'], aim: ['settle'] } as const;
const NO_SIGNATURE = 'invalid_exact_evm_signature';
const NO_MONEY = 'invalid_exact_evm_insufficient_balance';

const LOST: Record<Loss, Reply> = {
  reset: { kind: 'reset' },
  hang: { kind: 'hang' },
  '500': reply({ status: 500, body: { error: 'internal_error' } }),
};

/** As on Base. */
const BLOCK_MS = 2_000;

/** Actions of a facilitator, a payer or a third party on one payment. */
const PAYMENT_MODES: Record<string, Mode<PaymentCall>> = {
  invalid: {
    ...eitherAtVerify,
    run: async (call, { reason = NO_SIGNATURE, status }) => reply(call.refuse({ reason, status })),
  },
  refused: {
    ...eitherAtSettle,
    run: async (call, { reason = NO_MONEY, status }) => reply(call.refuse({ reason, status })),
  },
  '500-with-reason': {
    ...either,
    run: async (call, { reason = NO_MONEY, status = 500 }) => reply(call.refuse({ reason, status })),
  },
  'settled-but-answer-lost': {
    ...atSettle,
    run: async (call, { then = 'reset' }) => {
      await call.settle();
      return LOST[then];
    },
  },
  'settled-without-hash': { ...atSettle, run: async (call) => reply(await call.settleWithoutHash()) },
  duplicate: {
    ...atSettle,
    run: async (call) => {
      await call.settle();
      return reply(call.refuse({ reason: 'duplicate_settlement' }));
    },
  },
  'pending-then-success': { ...atSettle, run: async (call, { ms }) => reply(await call.settlePending(ms)) },
  'pending-then-never': { ...atSettle, run: async (call) => reply(await call.settlePending(null)) },
  'answered-with-block': {
    ...atSettle,
    run: async (call, { ms = BLOCK_MS }) => {
      await call.settlePending(ms);
      await sleep(ms);
      return reply(await call.settle());
    },
  },
  reverted: { ...atSettle, run: async (call) => reply(await call.settle({ reverts: true })) },
  'cancelled-after-verify': { ...atVerify, run: (call) => afterVerify(call, () => call.cancel()) },
  'submitted-after-verify': { ...atVerify, run: (call) => afterVerify(call, () => call.submitElsewhere()) },
};

interface Mode<Call> {
  /** Where it can be aimed. */
  targets: readonly Target[];
  /** Where it is aimed when nothing is said. */
  aim: readonly Target[];
  run(call: Call, rule: ModeRule): Promise<Reply>;
}

/** All that a fault of the line needs: the answer it spoils. */
interface AnyCall {
  answer(): Promise<Answer>;
}

const SLOW_MS = 1_000;
const anywhere = { targets: TARGETS, aim: ['verify', 'settle'] } as const;

/** Faults of the line, or of the server as a whole. */
const LINE_MODES: Record<string, Mode<AnyCall>> = {
  reset: { ...anywhere, run: async () => ({ kind: 'reset' }) },
  hang: { ...anywhere, run: async () => ({ kind: 'hang' }) },
  slow: { ...anywhere, run: async (call, { ms = SLOW_MS }) => reply(await call.answer(), ms) },
  '500': { ...anywhere, run: async (_, { status = 500 }) => reply({ status, body: { error: 'internal_error' } }) },
  'bad-json': { ...anywhere, run: async () => ({ kind: 'text', text: '{"isValid": tru' }) },
};

interface Active {
  rule: ModeRule;
  left: number;
}

const MODES = new Map<string, Mode<never>>([...Object.entries(LINE_MODES), ...Object.entries(PAYMENT_MODES)]);

/** Which mode is on at which target. One at a time each, and one for each payer; a new one replaces the old. */
export class ModeSwitch {
  private readonly active = new Map<string, Active>();

  /** @throws BadCommand for an unknown mode, or one aimed where it means nothing */
  set({ on, count = Infinity, payer, ...rule }: ModeCommand): void {
    const mode = rule.mode === 'ok' ? { targets: TARGETS, aim: TARGETS } : MODES.get(rule.mode);
    if (!mode) throw new BadCommand(`mode must be one of: ok, ${[...MODES.keys()].join(', ')}`);
    const targets = on === undefined ? mode.aim : [on].flat();
    if (!targets.every((target) => mode.targets.includes(target))) {
      throw new BadCommand(`${rule.mode} can be on: ${mode.targets.join(', ')}`);
    }
    for (const target of targets) {
      const place = placeOf(target, payer);
      if (rule.mode === 'ok') this.active.delete(place);
      else this.active.set(place, { rule, left: count });
    }
  }

  /** Answers a call that is not about one payment. */
  async run(target: Target, call: AnyCall): Promise<Reply> {
    const rule = this.take(target);
    return rule ? LINE_MODES[rule.mode]!.run(call, rule) : reply(await call.answer());
  }

  async runPayment(call: PaymentCall): Promise<Reply> {
    const rule = this.take(placeOf(call.target, call.payer)) ?? this.take(call.target);
    if (!rule) return reply(await call.answer());
    const mode = LINE_MODES[rule.mode] ?? PAYMENT_MODES[rule.mode]!;
    return mode.run(call, rule);
  }

  private take(place: string): ModeRule | undefined {
    const active = this.active.get(place);
    if (!active) return undefined;
    active.left -= 1;
    if (active.left <= 0) this.active.delete(place);
    return active.rule;
  }
}

function placeOf(target: Target, payer: string | undefined): string {
  return payer === undefined ? target : `${target} ${payer.toLowerCase()}`;
}

/** Something happens on the chain between a good verify and the settle. */
async function afterVerify(call: PaymentCall, happen: () => void): Promise<Reply> {
  const answer = await call.answer();
  if ((answer.body as { isValid: boolean }).isValid) happen();
  return reply(answer);
}
