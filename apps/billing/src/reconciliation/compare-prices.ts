import { PLANS, type PaidPlanCode } from '@evenkeel/contracts';
import { Injectable } from '@nestjs/common';
import { BillingConfig } from '../billing.config';
import { integerAt, textAt } from '../provider/members';
import { StripeApi } from '../provider/stripe-api';
import { differing, type Difference } from './difference';
import { findThere } from './provider-lists';

/** The catalogue against the prices that the provider would charge. A plan whose price differs cannot be bought. */
@Injectable()
export class ComparePrices {
  constructor(
    private readonly config: BillingConfig,
    private readonly provider: StripeApi,
  ) {}

  async execute(): Promise<{ compared: number; differences: Difference[] }> {
    const prices = Object.entries(this.config.prices) as [PaidPlanCode, string][];
    const found: (Difference | null)[] = [];
    for (const [plan, price] of prices) found.push(await this.compare(plan, price));
    return { compared: prices.length, differences: found.filter((one) => one !== null) };
  }

  private async compare(plan: PaidPlanCode, price: string): Promise<Difference | null> {
    const theirs = await findThere(this.provider, (stripe) => stripe.prices.retrieve(price));
    if (theirs === null) return { kind: 'price', subject: plan, detail: `${price} is not known there` };
    const ours = { cents: this.config.priceCents[plan], currency: 'usd', interval: PLANS[plan].interval };
    const there = {
      ...{ cents: integerAt(theirs, 'unit_amount'), currency: textAt(theirs, 'currency') },
      interval: textAt(theirs, 'recurring', 'interval'),
    };
    const isOne = (integerAt(theirs, 'recurring', 'interval_count') ?? 1) === 1;
    const detail = [
      differing(ours, there),
      theirs['active'] === false ? 'not active there' : '',
      isOne ? '' : 'of several intervals there',
    ];
    const said = detail.filter((part) => part !== '').join('; ');
    return said === '' ? null : { kind: 'price', subject: plan, detail: said };
  }
}
