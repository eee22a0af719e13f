import { Module } from '@nestjs/common';
import { StateController } from './state.controller';

/** What somebody has of what they pay for. */
@Module({ controllers: [StateController] })
export class StateModule {}
