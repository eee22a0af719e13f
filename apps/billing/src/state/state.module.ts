import { Module } from '@nestjs/common';
import { StateController } from './state.controller';

/** The plan and the usage of somebody. */
@Module({ controllers: [StateController] })
export class StateModule {}
