import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type Repository } from 'typeorm';
import { PaymentAnswerRow } from './payment-answer.entity';
import { PaymentRow } from './payment.entity';

@Injectable()
export class FindPayments {
  constructor(
    @InjectRepository(PaymentRow) private readonly payments: Repository<PaymentRow>,
    @InjectRepository(PaymentAnswerRow) private readonly answers: Repository<PaymentAnswerRow>,
  ) {}

  /**
   * The row that an authorization belongs to; a row of another token or chain counts, should our settings have changed.
   * @param asset the token asked for now, whose row comes first
   */
  async byAuthorization(payer: string, nonce: string, asset: string): Promise<PaymentRow | null> {
    const rows = await this.payments.findBy({ payer, nonce });
    return rows.find((row) => row.asset === asset.toLowerCase()) ?? rows[0] ?? null;
  }

  /** @param payer only this one's; of all who have used the nonce when left out */
  async byNonce(nonce: string, payer?: string): Promise<PaymentRow[]> {
    return this.payments.findBy({ nonce, ...(payer !== undefined && { payer }) });
  }

  /** Until when the answer to a payment can be had again; null when it cannot. */
  async answerAvailableUntil(paymentId: string, now: Date): Promise<Date | null> {
    const answer = await this.answers.findOne({
      select: { paymentId: true, expiresAt: true },
      where: { paymentId, expiresAt: MoreThan(now) },
    });
    return answer?.expiresAt ?? null;
  }

  async byId(id: string): Promise<PaymentRow> {
    return this.payments.findOneByOrFail({ id });
  }
}
