import { CHAINS, CREDIT_FACE_MICROS, type OpenApiDocument } from '@evenkeel/contracts';
import type { PaymentTerms } from '../config/payment-terms';
import { Offers } from '../offers/offers';
import { priceList } from '../pricing/price-list';
import { gatewayPart } from './gateway-part';

const [base] = CHAINS;
const SAMPLE_TERMS: PaymentTerms = {
  baseUrl: 'https://api.example',
  chain: base!,
  asset: base!.usdc.address,
  assetName: base!.usdc.name,
  assetVersion: base!.usdc.version,
  payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  maxTimeoutSeconds: 300,
  bodyNetwork: 'short',
};

/** The part as it is checked in, with the terms of nobody in particular; what is served has those of the service. */
export function samplePart(): OpenApiDocument {
  const timeoutMs = 5_000;
  const { digest: offerDigest } = new Offers(SAMPLE_TERMS);
  const prices = priceList({
    terms: SAMPLE_TERMS,
    offerDigest,
    creditFaceMicros: CREDIT_FACE_MICROS,
    timeoutMs,
    walletRate: { limit: 600, windowSeconds: 60 },
  });
  return gatewayPart({ terms: SAMPLE_TERMS, offerDigest, timeoutMs, prices });
}
