import type { DataSource } from 'typeorm';

/** For every wallet at any time: face issued + accrued = earned + change returned. */
export interface WalletBalances {
  issuedMicros: number;
  accruedMicros: number;
  earnedMicros: number;
  changeMicros: number;
  settledMicros: number;
  issued: number;
  redeemed: number;
}

/** The credits of a wallet as an auditor would add them up, without the code that wrote them. */
export async function balancesOf(dataSource: DataSource, wallet: string): Promise<WalletBalances> {
  const [balances] = await dataSource.query<[WalletBalances]>(
    `SELECT coalesce(sum(c.face_micros), 0)::float8 AS "issuedMicros", coalesce(sum(c.change_micros), 0)::float8 AS "changeMicros",
       count(c.id)::integer AS issued, count(c.redeemed_at)::integer AS redeemed, w.accrued_micros::float8 AS "accruedMicros",
       w.earned_micros::float8 AS "earnedMicros", w.settled_micros::float8 AS "settledMicros"
     FROM wallets w LEFT JOIN credits c ON c.payer = w.address WHERE w.address = $1 GROUP BY w.address`,
    [wallet],
  );
  return balances;
}

/** Face issued + accrued − earned − change: 0 for every wallet at any time. */
export function difference({ issuedMicros, accruedMicros, earnedMicros, changeMicros }: WalletBalances): number {
  return issuedMicros + accruedMicros - earnedMicros - changeMicros;
}

/** Puts a wallet near a tier or near a credit without hundreds of payments; its difference stays 0. */
export async function seedWallet(
  dataSource: DataSource,
  wallet: string,
  { settledMicros = 0, accruedMicros = 0 }: { settledMicros?: number; accruedMicros?: number },
): Promise<void> {
  await dataSource.query(
    `INSERT INTO wallets (address, settled_micros, accrued_micros, earned_micros) VALUES ($1, $2, $3, $3)`,
    [wallet, settledMicros, accruedMicros],
  );
}

export interface AnnouncedEvent {
  seq: number;
  type: string;
  subject: string;
  payload: Record<string, unknown>;
}

/** The events of a wallet, in its own order. */
export async function eventsOf(dataSource: DataSource, wallet: string): Promise<AnnouncedEvent[]> {
  return dataSource.query<AnnouncedEvent[]>(
    `SELECT aggregate_seq::integer AS seq, type, subject, payload FROM outbox WHERE aggregate = $1 ORDER BY aggregate_seq`,
    [wallet],
  );
}
