import { PAID_ENDPOINTS } from '../agent/paid-endpoints';

/** In the order of the manifest. */
export const PROVIDED_CAPABILITIES = [
  'behavioral_analysis',
  'habit_analysis',
  'behavioral_insights',
  'habit_recommendation',
  'reliability_analysis',
  'habit_planning',
] as const;

/** The whole vocabulary (D-55): what we provide, and what others may. */
export const KNOWN_CAPABILITIES = [
  ...PROVIDED_CAPABILITIES,
  'web_research',
  'competitor_research',
  'document_extraction',
  'summarization',
  'financial_analysis',
  'data_analysis',
  'image_analysis',
  'crypto_analysis',
  'automation',
] as const;

/** The endpoint that provides a capability. */
export function providerOf(capability: (typeof PROVIDED_CAPABILITIES)[number]) {
  return PAID_ENDPOINTS.find(({ capabilities }) => capabilities.includes(capability))!;
}
