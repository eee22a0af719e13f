import { Module } from '@nestjs/common';
import { Freshness } from './freshness';

@Module({ providers: [Freshness], exports: [Freshness] })
export class FreshnessModule {}
