import { PAYMENTS_STREAM } from '@evenkeel/contracts';
import { EventTransport, exposeSubscription } from '@evenkeel/platform/messaging';
import { AppRegistry } from '@evenkeel/platform/observability';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SUBSCRIPTION } from './project-ledger.consumer';

/** How far reporting is behind, for the page of metrics. */
@Injectable()
export class ExposeProjection {
  constructor(registry: AppRegistry, dataSource: DataSource, transport: EventTransport) {
    exposeSubscription(registry, { name: SUBSCRIPTION, topics: [PAYMENTS_STREAM], transport, dataSource });
  }
}
