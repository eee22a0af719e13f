import { Equals, IsNumber, IsObject, IsString, Matches } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { ListOf, Nested } from '../schema/nested.decorator';
import { Count } from '../schema/number.decorator';
import { Strings } from '../schema/text.decorator';

export class ManifestPlatform {
  @IsString() name!: string;
  @IsString() version!: string;
  @IsString() description!: string;
}

export class ManifestPayment {
  @Equals('x402') protocol!: 'x402';
  @Equals('exact') scheme!: 'exact';
  @IsString() network!: string;
  @IsString() asset!: string;
  @IsString() pay_to!: string;

  @JSONSchema({ description: 'Address of the price list' })
  @IsString()
  pricing!: string;
}

export class ProviderIdentity {
  @IsString() id!: string;
  @IsString() name!: string;
  @Equals('first_party') kind!: 'first_party';
}

export class ProviderPrice {
  @IsNumber() amount_usd!: number;
  @Equals('USD') currency!: 'USD';
  @IsString() network!: string;

  @JSONSchema({ description: 'Contract address of the stablecoin' })
  @IsString()
  asset!: string;

  @IsString() pay_to!: string;
}

export class ProviderLimits {
  @Count() timeout_ms!: number;
  @Count() max_items!: number;
}

export class CapabilityProvider {
  @IsString() capability!: string;
  @Equals('1') version!: '1';
  @Nested(() => ProviderIdentity) provider!: ProviderIdentity;
  @IsString() endpoint!: string;
  @Equals('POST') method!: 'POST';
  @Nested(() => ProviderPrice) price!: ProviderPrice;
  @IsString() description!: string;

  @JSONSchema({ description: 'JSON Schema, complete in itself' })
  @IsObject()
  input_schema!: object;

  @JSONSchema({ description: 'JSON Schema, complete in itself' })
  @IsObject()
  output_schema!: object;

  @Nested(() => ProviderLimits) limits!: ProviderLimits;
}

export class Capability {
  @IsString() capability!: string;
  @ListOf(() => CapabilityProvider) providers!: CapabilityProvider[];
}

@JSONSchema({ description: 'Closed: a name that is not known means nothing here' })
export class CapabilityVocabulary {
  @Strings() provided!: string[];

  @JSONSchema({ description: 'The provided ones and those that others may provide' })
  @Strings()
  known!: string[];
}

export class ManifestDiscovery {
  @IsString() openapi!: string;
  @IsString() llms_txt!: string;
  @IsString() pricing!: string;

  @JSONSchema({ description: 'SHA-256 of everything for sale here; the same in every document' })
  @IsString()
  @Matches(/^[0-9a-f]{64}$/)
  offer_digest!: string;
}

@JSONSchema({ description: 'What this service can do, in the words of a closed vocabulary' })
export class CapabilityManifest {
  @Nested(() => ManifestPlatform) platform!: ManifestPlatform;
  @Nested(() => ManifestPayment) payment!: ManifestPayment;
  @ListOf(() => Capability) capabilities!: Capability[];
  @Nested(() => CapabilityVocabulary) vocabulary!: CapabilityVocabulary;
  @Nested(() => ManifestDiscovery) discovery!: ManifestDiscovery;
}
