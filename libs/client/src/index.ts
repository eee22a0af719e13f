export { RECEIPT_HEADER } from './checked-answers';
export { evenkeelClient, type ClientOptions, type EvenkeelClient } from './evenkeel-client';
export type { components, operations, paths } from './generated/agent-gateway';
export { payingFetch, type Fetch } from './paying-fetch';
export { checkReceipt, type Expected, type ReceiptProblem, type ReceiptVerdict } from './receipts/check-receipt';
export { requestDigest, type AskedRequest } from './receipts/check-receipt';
export type { ReceiptClaims } from './receipts/read-receipt';
export { fetchReceiptKeys, readReceiptKeys, receiptKeysUrl, type ReceiptKeys } from './receipts/receipt-keys';
