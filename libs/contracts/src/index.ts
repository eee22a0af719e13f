export { AgentAnalysisInput, MAX_ITEMS, SingleHabitPlanInput } from './agent/habit-inputs';
export {
  AgentAnalysisResult,
  AgentInsightsResult,
  AgentPlanResult,
  AgentRecommendResult,
  RebateEarned,
  BANDS,
} from './agent/habit-results';
export { capabilityRequestSchema, requestSchema, resultSchema, offersOf, type Offer } from './agent/offers';
export { PAID_ENDPOINTS, type Operation, type PaidEndpoint } from './agent/paid-endpoints';
export { ReliabilityInput } from './agent/reliability-input';
export { ReliabilityResult } from './agent/reliability-result';
export {
  Capability,
  CapabilityManifest,
  KNOWN_CAPABILITIES,
  PROVIDED_CAPABILITIES,
  providerOf,
} from './discovery/capability-manifest';
export { PaymentRequired, PaymentStatus } from './discovery/payment-documents';
export { PriceList } from './discovery/price-list';
export { HealthStatus, ServiceDescriptor } from './discovery/service-descriptor';
export { agentErrorBody, type FailedCall, AgentErrorBody, ErrorBody, type IssueCode } from './errors/error-body';
export {
  ERROR_CODES,
  ERRORS_PATH,
  PROBLEMS_PATH,
  type ErrorMeaning,
  type PaymentErrorCode,
} from './errors/error-codes';
export {
  type EventClass,
  CLOUD_EVENTS_VERSION,
  DEAD_LETTER_HEADERS,
  EVENT_CONTENT_TYPE,
  EVENT_HEADERS,
  deadLetterTopic,
  eventSource,
  STREAM_PARTITIONS,
  STREAMS,
  HEARTBEAT_EVERY_MS,
  StreamHeartbeat,
} from './events/event-streams';
export { EVENT_EXAMPLES, type EventExample } from './events/event-examples';
export {
  componentOf,
  componentSchemas,
  type OpenApiComponents,
  type OpenApiContent,
  type OpenApiDocument,
  type OpenApiExample,
  type OpenApiMethod,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiPath,
  type OpenApiReference,
  type OpenApiResponse,
  type ProvokingRequest,
  OPEN_API_FOLDER,
  openApiParts,
} from './openapi/open-api';
export { HTTP_CONVENTIONS, OTLP_TRACES_PATH } from './http-conventions';
export { CHAINS, type Chain } from './payments/chains';
export {
  CreditIssued,
  CreditRedeemed,
  PaymentSettled,
  PaymentSettlementFailed,
  PaymentSettlementPending,
  PAYMENTS_STREAM,
} from './payments/payment-events';
export {
  CREDIT_FACE_MICROS,
  REBATE_TIER_NAMES,
  REBATE_TIERS,
  rebateMicros,
  rebateTierAt,
  type RebateTierName,
} from './payments/rebate';
export {
  ACCOUNTS_STREAM,
  SessionRevoked,
  UsageMetered,
  UserDeleted,
  UserRegistered,
  UserVerified,
} from './people/account-events';
export {
  InvoiceAdjusted,
  InvoicePaid,
  type AdjustmentKind,
  type InvoiceReason,
  AccessGrant,
  SUBSCRIPTION_PROVIDERS,
  SUBSCRIPTION_STATUSES,
  SubscriptionChanged,
  SUBSCRIPTIONS_STREAM,
  SubscriptionState,
} from './people/subscription-events';
export {
  featuresOf,
  PAID_PLAN_CODES,
  PLAN_CODES,
  PLAN_INTERVALS,
  PLANS,
  TIER_LIMITS,
  TIERS,
  UPGRADE_PATHS,
  type PaidPlanCode,
  type PlanCode,
  type PlanInterval,
  type Tier,
  type TierLimits,
} from './people/plans';
export { COUNTED_MOST, METRIC_PREFIX, METRICS, type MetricDescription, type MetricName } from './metrics';
export { APP_NAMES, ownerOf, LONG_PATHS, ROUTES, type AppName } from './routes';
export {
  Instant,
  isInstant,
  isJsonObject,
  ListOf,
  Nested,
  nestedClass,
  IntegerBetween,
  Ratio,
  Nullable,
  Optional,
  characterCount,
  hasTrimmedLength,
  MaxCharacters,
  Strings,
  TrimmedText,
} from './schema/field.decorators';
export {
  isOwnRule,
  LIMITED_IN_WORDS,
  type CharacterRange,
  type Class,
  type JsonSchema,
  rewritten,
  schemaOf,
} from './schema/schema-of';
export { forGenerators } from './schema/for-generators';
export { SERVICE } from './service';
