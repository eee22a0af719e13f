import { usdAmount } from '@evenkeel/kernel';
import type { CreditFlowView } from './credits.view';

/** Credits that came, went or are there. */
export interface Credits {
  credits: number;
  faceMicros: number;
}

export const NO_CREDITS: Credits = { credits: 0, faceMicros: 0 };

export function plus(one: Credits, other: Credits): Credits {
  return { credits: one.credits + other.credits, faceMicros: one.faceMicros + other.faceMicros };
}

export function minus(one: Credits, other: Credits): Credits {
  return { credits: one.credits - other.credits, faceMicros: one.faceMicros - other.faceMicros };
}

export function creditFlowView({ credits, faceMicros }: Credits): CreditFlowView {
  return { credits, face_value: usdAmount(faceMicros) };
}
