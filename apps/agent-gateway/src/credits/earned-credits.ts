import type { RebateEarned } from '@evenkeel/contracts';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { CreditRow } from '../ledger/credit.entity';
import { CreditTokens } from './credit-tokens';
import { rebateEarned } from '../calls/answer';

/** Credits that went out with an answer, for a replay of it. */
@Injectable()
export class EarnedCredits {
  constructor(
    @InjectRepository(CreditRow) private readonly credits: Repository<CreditRow>,
    private readonly tokens: CreditTokens,
  ) {}

  /** @param sealedToken as it is kept beside the answer */
  async ofPayment(paymentId: string, sealedToken: Buffer): Promise<RebateEarned> {
    const credit = await this.credits.findOneByOrFail({ earnedBy: paymentId });
    return rebateEarned({ ...credit, token: this.tokens.open(credit.tokenHash, sealedToken) });
  }
}
