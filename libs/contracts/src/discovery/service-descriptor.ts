import { Equals, IsNumber, IsString } from 'class-validator';
import { Count, Described, Instant, ListOf, Nested } from '../schema/field.decorators';

class PaidEndpointSummary {
  @Equals('POST') method!: 'POST';
  @IsString() path!: string;
  @IsNumber() price_usd!: number;
  @IsString() capability!: string;
}

class PaymentSummary {
  @Equals('x402') protocol!: 'x402';
  @Equals(1) x402_version!: 1;
  @IsString() network!: string;
}

@Described('Paths on this address')
class DocumentLinks {
  @IsString() pricing!: string;
  @IsString() capabilities!: string;
  @IsString() openapi!: string;
  @IsString() llms!: string;
  @IsString() health!: string;
  @IsString() dashboard!: string;
}

@Described('What is for sale here, and where to read on')
export class ServiceDescriptor {
  @IsString() service!: string;
  @IsString() version!: string;
  @IsString() description!: string;
  @ListOf(() => PaidEndpointSummary) paid_endpoints!: PaidEndpointSummary[];
  @Nested(() => PaymentSummary) payment!: PaymentSummary;
  @Nested(() => DocumentLinks) links!: DocumentLinks;
}

@Described('The process answers')
export class HealthStatus {
  @Equals('ok') status!: 'ok';
  @IsString() service!: string;
  @IsString() version!: string;
  @Instant() time!: string;
  @Count() uptime_seconds!: number;
}
