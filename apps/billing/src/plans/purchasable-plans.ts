import { Clock } from '@evenkeel/kernel';
import type { PaidPlanCode } from '@evenkeel/contracts';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BillingConfig } from '../billing.config';
import { configuredPlans } from './plan-catalogue';

const READ_EVERY_MS = 10_000;

/** The plans that people can buy: configured, and not found to cost something else at the provider. */
@Injectable()
export class PurchasablePlans {
  private readonly logger = new Logger('plans');
  private readonly configured: ReadonlySet<PaidPlanCode>;
  private known: ReadonlySet<PaidPlanCode>;
  private readAtMs = -Infinity;

  constructor(
    config: BillingConfig,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {
    this.configured = configuredPlans(config);
    this.known = this.configured;
  }

  /** As stored now. */
  async find(): Promise<ReadonlySet<PaidPlanCode>> {
    if (this.configured.size === 0) return this.configured;
    const different = await this.dataSource.query<{ plan: string }[]>(
      `SELECT subject AS plan FROM provider_differences WHERE kind = 'price'`,
    );
    const plans = new Set(different.map(({ plan }) => plan));
    return new Set([...this.configured].filter((plan) => !plans.has(plan)));
  }

  /** As known some seconds ago: the catalogue is there without the database. */
  async recent(): Promise<ReadonlySet<PaidPlanCode>> {
    if (this.clock.elapsedMs() - this.readAtMs < READ_EVERY_MS) return this.known;
    this.readAtMs = this.clock.elapsedMs();
    try {
      this.known = await this.find();
    } catch (error) {
      this.logger.warn({ message: 'different prices cannot be read; the catalogue stays as it is', error });
    }
    return this.known;
  }
}
