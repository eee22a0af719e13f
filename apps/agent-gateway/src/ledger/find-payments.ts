import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { PaymentRow } from './payment.entity';

@Injectable()
export class FindPayments {
  constructor(@InjectRepository(PaymentRow) private readonly payments: Repository<PaymentRow>) {}

  /**
   * The row that an authorization belongs to; a row of another token or chain counts, should our settings have changed.
   * @param asset the token asked for now, whose row comes first
   */
  async byAuthorization(payer: string, nonce: string, asset: string): Promise<PaymentRow | null> {
    const rows = await this.payments.findBy({ payer, nonce });
    return rows.find((row) => row.asset === asset.toLowerCase()) ?? rows[0] ?? null;
  }

  async byId(id: string): Promise<PaymentRow> {
    return this.payments.findOneByOrFail({ id });
  }
}
