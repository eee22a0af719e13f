import { reply, type Reply } from '../http/reply';
import type { PaymentCall } from '../payments/payment-call';
import { BadCommand } from './bad-command';
import { LINE_MODES, type AnyCall, type Mode } from './line-modes';
import type { ModeCommand, ModeRule } from './mode-rule';
import { PAYMENT_MODES } from './payment-modes';
import { TARGETS, type Target } from './target';

interface Active {
  rule: ModeRule;
  left: number;
}

const MODES = new Map<string, Mode<never>>([...Object.entries(LINE_MODES), ...Object.entries(PAYMENT_MODES)]);

/** Which mode is on at which target. One at a time each; a new one replaces the old. */
export class ModeSwitch {
  private readonly active = new Map<Target, Active>();

  /** @throws BadCommand for an unknown mode, or one aimed where it means nothing */
  set({ on, count = Infinity, ...rule }: ModeCommand): void {
    const mode = rule.mode === 'ok' ? { targets: TARGETS, aim: TARGETS } : MODES.get(rule.mode);
    if (!mode) throw new BadCommand(`mode must be one of: ok, ${[...MODES.keys()].join(', ')}`);
    const targets = on === undefined ? mode.aim : [on].flat();
    if (!targets.every((target) => mode.targets.includes(target))) {
      throw new BadCommand(`${rule.mode} can be on: ${mode.targets.join(', ')}`);
    }
    for (const target of targets) {
      if (rule.mode === 'ok') this.active.delete(target);
      else this.active.set(target, { rule, left: count });
    }
  }

  /** Answers a call that is not about one payment. */
  async run(target: Target, call: AnyCall): Promise<Reply> {
    const rule = this.take(target);
    return rule ? LINE_MODES[rule.mode]!.run(call, rule) : reply(await call.answer());
  }

  async runPayment(call: PaymentCall): Promise<Reply> {
    const rule = this.take(call.target);
    if (!rule) return reply(await call.answer());
    const mode = LINE_MODES[rule.mode] ?? PAYMENT_MODES[rule.mode]!;
    return mode.run(call, rule);
  }

  private take(target: Target): ModeRule | undefined {
    const active = this.active.get(target);
    if (!active) return undefined;
    active.left -= 1;
    if (active.left <= 0) this.active.delete(target);
    return active.rule;
  }
}
