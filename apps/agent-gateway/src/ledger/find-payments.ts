import { ServiceUnavailable } from '@evenkeel/platform/http';
import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type Repository } from 'typeorm';
import { PaymentAnswerRow, PaymentRow } from './ledger.entities';

@Injectable()
export class FindPayments {
  constructor(
    @InjectRepository(PaymentRow) private readonly payments: Repository<PaymentRow>,
    @InjectRepository(PaymentAnswerRow) private readonly answers: Repository<PaymentAnswerRow>,
  ) {}

  /**
   * The row that an authorization belongs to; also a row of another token or chain: settings may change.
   * @param asset the token asked for now, whose row comes first
   */
  async byAuthorization(payer: string, nonce: string, asset: string): Promise<PaymentRow | null> {
    const rows = await this.payments.findBy({ payer, nonce });
    return rows.find((row) => row.asset === asset.toLowerCase()) ?? rows[0] ?? null;
  }

  /** @param payer only the payments of this one; without it those of all payers that used the nonce */
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

/** For free requests: they fail at once while the database does not answer. @throws ServiceUnavailable (503) */
export async function readLedger<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    new Logger('ledger').warn({ message: 'the ledger could not be read', error });
    throw new ServiceUnavailable();
  }
}
