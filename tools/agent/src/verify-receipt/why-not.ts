import type { ReceiptProblem } from '@evenkeel/client';

export const WHY_NOT: Readonly<Record<ReceiptProblem, string>> = {
  malformed: 'it is no compact JWS of ES256 with all its claims.',
  unknown_key: 'the seller publishes no key of the name that it gives.',
  bad_signature: 'it was altered, or somebody else has signed it.',
  other_issuer: 'it was issued by another seller.',
  other_request: 'it is the receipt of another request.',
  other_answer: 'it is the receipt of another answer.',
};
