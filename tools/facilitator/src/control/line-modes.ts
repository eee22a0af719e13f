import { reply, type Reply } from '../http/reply';
import type { Answer } from '../payments/answers';
import type { ModeRule } from './mode-rule';
import { TARGETS, type Target } from './target';

export interface Mode<Call> {
  /** Where it can be aimed. */
  targets: readonly Target[];
  /** Where it is aimed when nothing is said. */
  aim: readonly Target[];
  run(call: Call, rule: ModeRule): Promise<Reply>;
}

/** All that a fault of the line needs: the answer it spoils. */
export interface AnyCall {
  answer(): Promise<Answer>;
}

const SLOW_MS = 1_000;
const anywhere = { targets: TARGETS, aim: ['verify', 'settle'] } as const;

/** Faults of the line, or of the server as a whole. */
export const LINE_MODES: Record<string, Mode<AnyCall>> = {
  reset: { ...anywhere, run: async () => ({ kind: 'reset' }) },
  hang: { ...anywhere, run: async () => ({ kind: 'hang' }) },
  slow: { ...anywhere, run: async (call, { ms = SLOW_MS }) => reply(await call.answer(), ms) },
  '500': { ...anywhere, run: async (_, { status = 500 }) => reply({ status, body: { error: 'internal_error' } }) },
  'bad-json': { ...anywhere, run: async () => ({ kind: 'text', text: '{"isValid": tru' }) },
};
