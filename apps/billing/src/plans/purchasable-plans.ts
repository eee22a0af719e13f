import { PLANS, type PaidPlanCode } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { Injectable, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BillingConfig } from '../billing.config';
import { differing, integerAt, textAt, type ProviderObject } from '../provider/members';
import { ProviderModule, StripeApi } from '../provider/stripe-api';
import { configuredPlans } from './plan-catalogue';

/** The catalogue against the price that the provider would charge. */
@Injectable()
export class ComparePrices {
  constructor(
    private readonly config: BillingConfig,
    private readonly provider: StripeApi,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores what it finds: a plan is sold only as it was compared. SQL, as these rows are read by a join with the settings.
   * @throws ProviderNotConfigured, ProviderUnavailable, ProviderRefusal
   */
  async execute(plan: PaidPlanCode, dataSource: DataSource): Promise<string | null> {
    const difference = await this.compare(plan);
    await dataSource.query(
      `INSERT INTO compared_prices (plan_code, price_id, amount_cents, compared_at, difference)
       VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (plan_code, price_id, amount_cents) DO UPDATE SET
         compared_at = excluded.compared_at, difference = excluded.difference`,
      [plan, this.config.prices[plan], this.config.priceCents[plan], this.clock.now(), difference],
    );
    return difference;
  }

  /**
   * @returns what differs; null when the provider charges what the catalogue shows
   * @throws ProviderNotConfigured, ProviderUnavailable, ProviderRefusal
   */
  async compare(plan: PaidPlanCode): Promise<string | null> {
    const price = this.config.prices[plan]!;
    const found = await this.provider.find((stripe) => stripe.prices.retrieve(price));
    const theirs = (found?.result ?? null) as ProviderObject | null;
    if (theirs === null) return `${price} is not known there`;
    const ours = { cents: this.config.priceCents[plan], currency: 'usd', interval: PLANS[plan].interval };
    const said = [
      differing(ours, {
        cents: integerAt(theirs, 'unit_amount'),
        currency: textAt(theirs, 'currency'),
        interval: textAt(theirs, 'recurring', 'interval'),
      }),
      theirs['active'] === false ? 'not active there' : '',
      (integerAt(theirs, 'recurring', 'interval_count') ?? 1) === 1 ? '' : 'of several intervals there',
    ];
    return said.filter((text) => text !== '').join('; ') || null;
  }
}

const READ_EVERY_MS = 10_000;
const NO_PLANS: ReadonlySet<PaidPlanCode> = new Set();

/** The plans that people can buy: configured, and compared at the provider with the amount that is shown here. */
@Injectable()
export class PurchasablePlans implements OnApplicationBootstrap {
  private readonly logger = new Logger('plans');
  private readonly configured: ReadonlySet<PaidPlanCode>;
  private readonly comparing = new Map<PaidPlanCode, Promise<unknown>>();
  private known?: ReadonlySet<PaidPlanCode>;
  private readAtMs = -Infinity;
  private reading?: Promise<void>;

  constructor(
    private readonly config: BillingConfig,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly prices: ComparePrices,
  ) {
    this.configured = configuredPlans(config);
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

  /** As known some seconds ago: once it has answered, nobody waits for the database. */
  async recent(): Promise<ReadonlySet<PaidPlanCode>> {
    if (this.clock.elapsedMs() - this.readAtMs >= READ_EVERY_MS) {
      this.readAtMs = this.clock.elapsedMs();
      this.reading = this.refresh();
    }
    if (!this.known) await this.reading;
    return this.known ?? NO_PLANS;
  }

  private async refresh(): Promise<void> {
    try {
      this.known = (await this.read()).found;
      this.known = await this.find();
    } catch (error) {
      this.logger.warn({ message: 'prices cannot be compared; the catalogue stays as it is', error });
    }
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

/** The prices of plans at the provider. */
@Module({ imports: [ProviderModule], providers: [ComparePrices], exports: [ComparePrices] })
export class PricesModule {}
