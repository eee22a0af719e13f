export { AgentAnalysisInput } from './agent/agent-analysis-input';
export { AgentAnalysisResult } from './agent/agent-analysis-result';
export { AgentHabit, TRENDS, type Trend } from './agent/agent-habit';
export { AgentInsightsResult, Correlation, Pattern, RiskSignal } from './agent/agent-insights-result';
export { AgentPlanResult, HabitPlan, PlanMilestone, PlanWeek } from './agent/agent-plan-result';
export { AgentRecommendResult, HabitRecommendation } from './agent/agent-recommend-result';
export { AgentResult, MoneyAmount, RebateEarned } from './agent/agent-result';
export { AggregateSummary, BandCounts, BANDS, HabitScores, HighestRisk, type Band } from './agent/aggregate-summary';
export { capabilityRequestSchema, requestSchema, resultSchema } from './agent/endpoint-schemas';
export { MAX_ITEMS } from './agent/max-items';
export { offersOf, type Offer, type OfferTerms } from './agent/offers';
export { PAID_ENDPOINTS, type Operation, type PaidEndpoint } from './agent/paid-endpoints';
export { ReliabilityInput } from './agent/reliability-input';
export {
  LevelCounts,
  ReliabilityResult,
  ReliabilitySummary,
  TaskRecommendation,
  WorstTask,
} from './agent/reliability-result';
export { CADENCES, ReliabilityTask, type Cadence } from './agent/reliability-task';
export { SingleHabitPlanInput } from './agent/single-habit-plan-input';
export { SEVERITY_LEVELS, SuccessInterval, TaskAssessment, type SeverityLevel } from './agent/task-assessment';
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
} from './discovery/capability-manifest';
export { KNOWN_CAPABILITIES, PROVIDED_CAPABILITIES, providerOf } from './discovery/capability-names';
export { PaymentRequired } from './discovery/payment-required';
export { PaymentStatus } from './discovery/payment-status';
export {
  EndpointPrice,
  PaymentMethod,
  PricedEndpoint,
  PriceList,
  RebateTerms,
  RebateTierTerms,
} from './discovery/price-list';
export {
  DocumentLinks,
  HealthStatus,
  PaidEndpointSummary,
  PaymentSummary,
  ServiceDescriptor,
} from './discovery/service-descriptor';
export { CreditCounts, NextTier, RateLimitTerms, WalletStanding } from './discovery/wallet-standing';
export { AgentErrorBody, AgentErrorDetails, ErrorBody, Issue, ISSUE_CODES, RETRIES } from './errors/error-body';
export { asyncApiDocument } from './events/async-api';
export type { EventClass } from './events/event-class';
export { EVENT_EXAMPLES, type EventExample } from './events/event-examples';
export { CLOUD_EVENTS_VERSION, DEAD_LETTER_HEADERS, EVENT_CONTENT_TYPE, EVENT_HEADERS } from './events/event-headers';
export { deadLetterTopic, eventSource, STREAM_PARTITIONS, STREAMS, type Stream } from './events/streams';
export { componentOf, componentSchemas } from './openapi/component-schemas';
export type {
  OpenApiComponents,
  OpenApiContent,
  OpenApiDocument,
  OpenApiExample,
  OpenApiMethod,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiPath,
  OpenApiReference,
  OpenApiResponse,
  ProvokingRequest,
} from './openapi/open-api';
export { OPEN_API_FOLDER, openApiParts } from './openapi/open-api-parts';
export { CHAINS, type Chain } from './payments/chains';
export { CreditIssued } from './payments/credit-issued';
export { CreditRedeemed } from './payments/credit-redeemed';
export { PaymentSettled } from './payments/payment-settled';
export { PaymentSettlementFailed } from './payments/payment-settlement-failed';
export { PaymentSettlementPending } from './payments/payment-settlement-pending';
export { PAYMENTS_STREAM } from './payments/payments-stream';
export {
  CREDIT_FACE_MICROS,
  REBATE_TIER_NAMES,
  REBATE_TIERS,
  rebateMicros,
  rebateTierAt,
  type RebateTier,
  type RebateTierName,
} from './payments/rebate';
export { APP_NAMES, ownerOf, ROUTES, type AppName, type RouteOwner } from './routes';
export { Instant, isInstant } from './schema/instant.decorator';
export type { CharacterRange, Class, JsonSchema, SchemaDocument } from './schema/json-schema';
export { isJsonObject, ListOf, Nested } from './schema/nested.decorator';
export { Count, IntegerBetween, MAX_INTEGER, NumberBetween, Ratio } from './schema/number.decorator';
export { Nullable, Optional } from './schema/presence.decorator';
export { published } from './schema/published';
export { schemaOf, type SchemaOptions } from './schema/schema-of';
export { characterCount, hasTrimmedLength, MaxCharacters, Strings, TrimmedText } from './schema/text.decorator';
export { SERVICE } from './service';
