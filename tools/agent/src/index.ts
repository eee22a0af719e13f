export { CallFailed } from './call-failed';
export { payFor, type PaidCall, type PayForOptions } from './pay-for';
export { CLIENT_KINDS, type ClientKind } from './paying-client';
export { readReceipt, type Receipt } from './receipt';
export type { SentPayment } from './watched-fetch';
