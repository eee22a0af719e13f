import { Equals, IsNumber, IsObject, IsString } from 'class-validator';
import { PAID_ENDPOINTS } from '../agent/paid-endpoints';
import { OfferDigest } from './payment-documents';
import { Count, Described, ListOf, Nested, Strings } from '../schema/field.decorators';

/** In the order of the manifest. */
export const PROVIDED_CAPABILITIES = [
  'behavioral_analysis',
  'habit_analysis',
  'behavioral_insights',
  'habit_recommendation',
  'reliability_analysis',
  'habit_planning',
] as const;

/** The whole vocabulary: what we provide, and what others may. */
export const KNOWN_CAPABILITIES = [
  ...PROVIDED_CAPABILITIES,
  'web_research',
  'competitor_research',
  'document_extraction',
  'summarization',
  'financial_analysis',
  'data_analysis',
  'image_analysis',
  'crypto_analysis',
  'automation',
] as const;

class ManifestPlatform {
  @IsString() name!: string;
  @IsString() version!: string;
  @IsString() description!: string;
}

class ManifestPayment {
  @Equals('x402') protocol!: 'x402';
  @Equals('exact') scheme!: 'exact';
  @IsString() network!: string;
  @IsString() asset!: string;
  @IsString() pay_to!: string;
  @Described('Address of the price list') @IsString() pricing!: string;
}

class ProviderIdentity {
  @IsString() id!: string;
  @IsString() name!: string;
  @Equals('first_party') kind!: 'first_party';
}

class ProviderPrice {
  @IsNumber() amount_usd!: number;
  @Equals('USD') currency!: 'USD';
  @IsString() network!: string;
  @Described('Contract address of the stablecoin') @IsString() asset!: string;
  @IsString() pay_to!: string;
}

class ProviderLimits {
  @Count() timeout_ms!: number;
  @Count() max_items!: number;
}

class CapabilityProvider {
  @IsString() capability!: string;
  @Equals('1') version!: '1';
  @Nested(() => ProviderIdentity) provider!: ProviderIdentity;
  @IsString() endpoint!: string;
  @Equals('POST') method!: 'POST';
  @Nested(() => ProviderPrice) price!: ProviderPrice;
  @IsString() description!: string;
  @Described('JSON Schema, complete in itself') @IsObject() input_schema!: object;
  @Described('JSON Schema, complete in itself') @IsObject() output_schema!: object;
  @Nested(() => ProviderLimits) limits!: ProviderLimits;
}

export class Capability {
  @IsString() capability!: string;
  @ListOf(() => CapabilityProvider) providers!: CapabilityProvider[];
}

@Described('Closed: a name that is not known means nothing here')
class CapabilityVocabulary {
  @Strings() provided!: string[];
  @Described('The provided ones and those that others may provide') @Strings() known!: string[];
}

class ManifestDiscovery {
  @IsString() openapi!: string;
  @IsString() llms_txt!: string;
  @IsString() pricing!: string;
  @OfferDigest() offer_digest!: string;
}

@Described('What this service can do, in the words of a closed vocabulary')
export class CapabilityManifest {
  @Nested(() => ManifestPlatform) platform!: ManifestPlatform;
  @Nested(() => ManifestPayment) payment!: ManifestPayment;
  @ListOf(() => Capability) capabilities!: Capability[];
  @Nested(() => CapabilityVocabulary) vocabulary!: CapabilityVocabulary;
  @Nested(() => ManifestDiscovery) discovery!: ManifestDiscovery;
}

/** The endpoint that provides a capability. */
export function providerOf(capability: (typeof PROVIDED_CAPABILITIES)[number]) {
  return PAID_ENDPOINTS.find(({ capabilities }) => capabilities.includes(capability))!;
}
