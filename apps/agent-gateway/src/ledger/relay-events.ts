import { eventSource } from '@evenkeel/contracts';
import { EventTransport, exposeOutbox, InProcessBroker, OutboxRelay } from '@evenkeel/platform/messaging';
import { AppRegistry } from '@evenkeel/platform/observability';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CrashPoints } from '../config/crash-points';

const APP = 'agent-gateway';
const KEEP_DAYS = 14;

/** Publishes what the ledger announces. */
@Injectable()
export class RelayEvents implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly relay: OutboxRelay;

  constructor(
    private readonly dataSource: DataSource,
    private readonly transport: EventTransport,
    crashPoints: CrashPoints,
    registry: AppRegistry,
  ) {
    this.relay = new OutboxRelay({
      database: dataSource.options,
      transport,
      source: eventSource(APP),
      log: new Logger('outbox'),
      // Within one process the outbox is what a reader begins anew from.
      keepDays: transport instanceof InProcessBroker ? null : KEEP_DAYS,
      passed: (point) => crashPoints.pass(point),
    });
    exposeOutbox(registry, dataSource, this.relay);
  }

  onApplicationBootstrap(): void {
    if (this.transport instanceof InProcessBroker) this.transport.own(APP, this.dataSource);
    this.relay.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.relay.stop();
  }
}
