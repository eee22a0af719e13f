export { CircuitBreaker, type CallResult } from './circuit-breaker';
