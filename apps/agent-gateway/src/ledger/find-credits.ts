import { poolOf, readMicros } from '@evenkeel/platform';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface FoundCredit {
  id: string;
  /** The wallet that earned it. */
  payer: string;
  faceMicros: number;
  expiresAt: Date | null;
  redeemed: boolean;
  /** Lifetime spend of that wallet. */
  settledMicros: number;
}

const FIND = {
  name: 'find-credit',
  text: `
    SELECT c.id, c.payer, c.face_micros, c.expires_at, c.redeemed_at IS NOT NULL AS redeemed, w.settled_micros
    FROM credits c JOIN wallets w ON w.address = c.payer WHERE c.token_hash = $1`,
};

interface Row {
  id: string;
  payer: string;
  face_micros: string;
  expires_at: Date | null;
  redeemed: boolean;
  settled_micros: string;
}

@Injectable()
export class FindCredits {
  constructor(private readonly dataSource: DataSource) {}

  async byTokenHash(hash: string): Promise<FoundCredit | null> {
    const { rows } = await poolOf(this.dataSource).query<Row>({ ...FIND, values: [hash] });
    const [row] = rows;
    if (!row) return null;
    const { id, payer, redeemed } = row;
    const faceMicros = readMicros(row.face_micros);
    return {
      id,
      payer,
      faceMicros,
      expiresAt: row.expires_at,
      redeemed,
      settledMicros: readMicros(row.settled_micros),
    };
  }
}
