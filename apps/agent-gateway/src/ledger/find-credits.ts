import { poolOf, readMicros } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface FoundCredit {
  id: string;
  /** The wallet that earned it. */
  payer: string;
  faceMicros: number;
  expiresAt: Date | null;
  redeemed: boolean;
  /** Of the request that it paid for. */
  fingerprint: string | null;
}

const FIND = {
  name: 'find-credit',
  text: `
    SELECT id, payer, face_micros, expires_at, redeemed_at IS NOT NULL AS redeemed, fingerprint
    FROM credits WHERE token_hash = $1`,
};

interface Row {
  id: string;
  payer: string;
  face_micros: string;
  expires_at: Date | null;
  redeemed: boolean;
  fingerprint: string | null;
}

@Injectable()
export class FindCredits {
  constructor(private readonly dataSource: DataSource) {}

  async byTokenHash(hash: string): Promise<FoundCredit | null> {
    const { rows } = await poolOf(this.dataSource).query<Row>({ ...FIND, values: [hash] });
    const [row] = rows;
    if (!row) return null;
    const { id, payer, redeemed, fingerprint, expires_at: expiresAt } = row;
    return { id, payer, faceMicros: readMicros(row.face_micros), expiresAt, redeemed, fingerprint };
  }
}
