import { Module } from '@nestjs/common';
import { StripeApi } from './stripe-api';

/** One client of the provider for everything in the process. */
@Module({ providers: [StripeApi], exports: [StripeApi] })
export class ProviderModule {}
