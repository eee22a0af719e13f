export const PAYMENTS_STREAM = 'evenkeel.payments.v1';
