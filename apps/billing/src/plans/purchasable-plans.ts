import { Clock } from '@evenkeel/kernel';
import type { PaidPlanCode } from '@evenkeel/contracts';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BillingConfig } from '../billing.config';
import { ComparePrices } from './compare-prices';
import { configuredPlans } from './plan-catalogue';

const READ_EVERY_MS = 10_000;

/** The plans that people can buy: configured, and compared at the provider with the amount that is shown here. */
@Injectable()
export class PurchasablePlans implements OnApplicationBootstrap {
  private readonly logger = new Logger('plans');
  private readonly configured: ReadonlySet<PaidPlanCode>;
  private readonly comparing = new Map<PaidPlanCode, Promise<unknown>>();
  private known: ReadonlySet<PaidPlanCode>;
  private readAtMs = -Infinity;

  constructor(
    private readonly config: BillingConfig,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly prices: ComparePrices,
  ) {
    this.configured = configuredPlans(config);
    this.known = new Set();
  }

  /** Settings change with a restart. */
  onApplicationBootstrap(): void {
    for (const plan of this.configured) void this.compare(plan).catch((error: unknown) => this.warn(plan, error));
  }

  /**
   * As stored now. What was never compared as it is here is compared first.
   * @throws ProviderUnavailable
   */
  async find(): Promise<ReadonlySet<PaidPlanCode>> {
    if (this.configured.size === 0) return this.configured;
    const { found, missing } = await this.read();
    if (missing.length === 0) return found;
    await Promise.all(missing.map((plan) => this.compare(plan)));
    return (await this.read()).found;
  }

  /** As known some seconds ago: the catalogue is there without the database. */
  async recent(): Promise<ReadonlySet<PaidPlanCode>> {
    if (this.clock.elapsedMs() - this.readAtMs < READ_EVERY_MS) return this.known;
    this.readAtMs = this.clock.elapsedMs();
    try {
      const { found, missing } = await this.read();
      this.known = found;
      await Promise.all(missing.map((plan) => this.compare(plan)));
      if (missing.length > 0) this.known = (await this.read()).found;
    } catch (error) {
      this.logger.warn({ message: 'prices cannot be compared; the catalogue stays as it is', error });
    }
    return this.known;
  }

  private async read(): Promise<{ found: ReadonlySet<PaidPlanCode>; missing: PaidPlanCode[] }> {
    const { prices, priceCents } = this.config;
    const rows = await this.dataSource.query<{ plan: string; isSame: boolean }[]>(
      `SELECT plan_code AS plan, difference IS NULL AS "isSame" FROM compared_prices
       JOIN unnest($1::text[], $2::text[], $3::integer[]) AS here (plan_code, price_id, amount_cents)
         USING (plan_code, price_id, amount_cents)`,
      [Object.keys(prices), Object.values(prices), Object.keys(prices).map((plan) => priceCents[plan as PaidPlanCode])],
    );
    const compared = new Map(rows.map(({ plan, isSame }) => [plan, isSame]));
    const plans = [...this.configured];
    return {
      found: new Set(plans.filter((plan) => compared.get(plan) === true)),
      missing: plans.filter((plan) => !compared.has(plan)),
    };
  }

  /** One call for all who wait. */
  private compare(plan: PaidPlanCode): Promise<unknown> {
    const begun = this.comparing.get(plan);
    if (begun) return begun;
    const comparing = this.prices.execute(plan, this.dataSource).finally(() => this.comparing.delete(plan));
    this.comparing.set(plan, comparing);
    return comparing;
  }

  private warn(plan: PaidPlanCode, error: unknown): void {
    this.logger.warn({ message: 'the price of a plan could not be compared at start', plan, error });
  }
}
