export { AgentGatewayConfig, CRASH_POINTS, type CrashPoint } from './config/agent-gateway.config';
export { databaseOptions, ENTITIES, MIGRATIONS } from './database';
export { ClaimPayments } from './ledger/claim-payments';
export { RecordSettlements, type Recorded } from './ledger/record-settlements';
export { GatewayMetrics } from './metrics/gateway-metrics';
export { requestValidator } from './payments/paid-requests';
export { AGENT_GATEWAY } from './service';
