/** A 200 as the ledger keeps it: the body encrypted, and the call it belongs to. */
export interface AnswerRecord {
  callId: string;
  status: number;
  body: Buffer;
  engineVersion: string;
  expiresAt: Date;
}
