export { Clock, ManualClock, SystemClock } from './clock';
export { DomainError, type ErrorKind } from './domain-error';
export { uuidv7 } from './ids';
export { MICROS_PER_USD, usdAmount, type UsdAmount } from './money';
