import { Module } from '@nestjs/common';
import { ReadBillingState } from './read-billing-state';
import { StateController } from './state.controller';

/** What somebody has of what they pay for. */
@Module({ controllers: [StateController], providers: [ReadBillingState], exports: [ReadBillingState] })
export class StateModule {}
