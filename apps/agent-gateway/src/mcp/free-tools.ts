import { Injectable } from '@nestjs/common';
import { CheckInput } from './check-input';
import { ListOffers } from './list-offers';
import { PaymentStatusTool } from './payment-status-tool';
import type { Tool } from './tool';

/** Tools that nobody pays for. */
@Injectable()
export class FreeTools {
  readonly all: readonly Tool[];

  constructor(listOffers: ListOffers, checkInput: CheckInput, paymentStatus: PaymentStatusTool) {
    this.all = [listOffers, checkInput, paymentStatus];
  }
}
