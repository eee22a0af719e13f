/** What agent-gateway tells others about payments and credits; the key is the wallet. */
export const PAYMENTS_STREAM = 'evenkeel.payments.v1';
