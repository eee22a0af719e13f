import { reply, type Reply } from '../http/reply';
import type { PaymentCall } from '../payments/payment-call';
import type { Mode } from './line-modes';
import type { Loss } from './mode-rule';

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

/** What a facilitator, a payer or a third party can do to one payment. */
export const PAYMENT_MODES: Record<string, Mode<PaymentCall>> = {
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
  reverted: { ...atSettle, run: async (call) => reply(await call.settle({ reverts: true })) },
  'cancelled-after-verify': { ...atVerify, run: (call) => afterVerify(call, () => call.cancel()) },
  'submitted-after-verify': { ...atVerify, run: (call) => afterVerify(call, () => call.submitElsewhere()) },
};

/** Something happens on the chain between a good verify and the settle. */
async function afterVerify(call: PaymentCall, happen: () => void): Promise<Reply> {
  const answer = await call.answer();
  if ((answer.body as { isValid: boolean }).isValid) happen();
  return reply(answer);
}
