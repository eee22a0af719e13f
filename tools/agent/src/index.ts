export {
  CallFailed,
  payFor,
  type PaidCall,
  type PayForOptions,
  CLIENT_KINDS,
  type ClientKind,
  readReceipt,
  type Receipt,
  type SentPayment,
} from './pay-for';
