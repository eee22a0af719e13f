export { Clock, ManualClock, SystemClock } from './clock';
export { DomainError, type ErrorKind } from './domain-error';
export { uuidv7 } from './ids';
export { instantOfLocalNoon, isTimeZone, localDate } from './local-day';
export { MICROS_PER_USD, readMicros, usdAmount } from './money';
