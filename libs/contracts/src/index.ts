export {
  AgentAnalysisInput,
  AgentHabit,
  TRENDS,
  type Trend,
  MAX_ITEMS,
  SingleHabitPlanInput,
} from './agent/habit-inputs';
export {
  AgentAnalysisResult,
  AgentInsightsResult,
  Correlation,
  Pattern,
  RiskSignal,
  AgentPlanResult,
  HabitPlan,
  PlanMilestone,
  PlanWeek,
  AgentRecommendResult,
  HabitRecommendation,
  AgentResult,
  MoneyAmount,
  RebateEarned,
  AggregateSummary,
  BandCounts,
  BANDS,
  HabitScores,
  HighestRisk,
  type Band,
} from './agent/habit-results';
export {
  capabilityRequestSchema,
  requestSchema,
  resultSchema,
  offersOf,
  type Offer,
  type OfferTerms,
} from './agent/offers';
export { PAID_ENDPOINTS, type Operation, type PaidEndpoint } from './agent/paid-endpoints';
export { ReliabilityInput, CADENCES, ReliabilityTask, type Cadence } from './agent/reliability-input';
export {
  LevelCounts,
  ReliabilityResult,
  ReliabilitySummary,
  TaskRecommendation,
  WorstTask,
  SEVERITY_LEVELS,
  SuccessInterval,
  TaskAssessment,
  type SeverityLevel,
} from './agent/reliability-result';
export {
  Capability,
  CapabilityManifest,
  CapabilityProvider,
  CapabilityVocabulary,
  ManifestDiscovery,
  ManifestPayment,
  ManifestPlatform,
  ProviderIdentity,
  ProviderLimits,
  ProviderPrice,
  KNOWN_CAPABILITIES,
  PROVIDED_CAPABILITIES,
  providerOf,
} from './discovery/capability-manifest';
export { PaymentRequired } from './discovery/payment-required';
export { PaymentStatus } from './discovery/payment-status';
export {
  EndpointPrice,
  PaymentMethod,
  PricedEndpoint,
  PriceList,
  RebateTerms,
  RebateTierTerms,
  CreditCounts,
  NextTier,
  RateLimitTerms,
  WalletStanding,
} from './discovery/price-list';
export {
  DocumentLinks,
  HealthStatus,
  PaidEndpointSummary,
  PaymentSummary,
  ServiceDescriptor,
} from './discovery/service-descriptor';
export { agentErrorBody, type FailedCall } from './errors/agent-error';
export {
  ERROR_CODES,
  ERRORS_PATH,
  type ErrorCode,
  type ErrorMeaning,
  type PaymentErrorCode,
} from './errors/error-codes';
export { AgentErrorBody, AgentErrorDetails, ErrorBody, Issue, ISSUE_CODES, RETRIES } from './errors/error-body';
export { asyncApiDocument } from './events/async-api';
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
  type Stream,
} from './events/event-streams';
export { HEARTBEAT_EVERY_MS, StreamHeartbeat } from './events/stream-heartbeat';
export { EVENT_EXAMPLES, type EventExample } from './events/event-examples';
export {
  componentOf,
  componentSchemas,
  type OpenApiComponents,
  type OpenApiContent,
  type OpenApiDocument,
  type OpenApiExample,
  type OpenApiLink,
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
export { CreditIssued } from './payments/credit-issued';
export { CreditRedeemed } from './payments/credit-redeemed';
export { PaymentSettled } from './payments/payment-settled';
export { PaymentSettlementFailed } from './payments/payment-settlement-failed';
export { PaymentSettlementPending } from './payments/payment-settlement-pending';
export { PAYMENTS_STREAM } from './payments/payment-event';
export {
  CREDIT_FACE_MICROS,
  REBATE_TIER_NAMES,
  REBATE_TIERS,
  rebateMicros,
  rebateTierAt,
  type RebateTier,
  type RebateTierName,
} from './payments/rebate';
export {
  ACCOUNTS_STREAM,
  METERED_FEATURES,
  SessionRevoked,
  UsageMetered,
  UserDeleted,
  UserRegistered,
  UserVerified,
} from './people/account-events';
export {
  ADJUSTMENT_KINDS,
  INVOICE_REASONS,
  InvoiceAdjusted,
  InvoicePaid,
  type AdjustmentKind,
  type InvoiceReason,
} from './people/invoice-events';
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
  type Plan,
  type PlanCode,
  type PlanInterval,
  type Tier,
  type TierLimits,
} from './people/plans';
export {
  AccessGrant,
  SUBSCRIPTION_PROVIDERS,
  SUBSCRIPTION_STATUSES,
  SubscriptionChanged,
  SUBSCRIPTIONS_STREAM,
  SubscriptionState,
} from './people/subscription-changed';
export { COUNTED_MOST, METRIC_PREFIX, METRICS, type MetricDescription, type MetricName } from './metrics';
export { APP_NAMES, ownerOf, LONG_PATHS, ROUTES, type AppName, type RouteOwner } from './routes';
export {
  Instant,
  isInstant,
  isJsonObject,
  ListOf,
  Nested,
  nestedClass,
  Count,
  IntegerBetween,
  MAX_INTEGER,
  NumberBetween,
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
  LIMITED_IN_WORDS,
  type CharacterRange,
  type Class,
  type JsonSchema,
  type SchemaDocument,
} from './schema/json-schema';
export { forGenerators } from './schema/for-generators';
export { published } from './schema/published';
export { schemaOf, type SchemaOptions } from './schema/schema-of';
export { SERVICE } from './service';
