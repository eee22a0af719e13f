import type { PaidEndpoint, RebateEarned } from '@evenkeel/contracts';
import type { DataSource } from 'typeorm';
import type { Buyer } from '../buyer.fixture';
import type { Gateway, PaidRequest, Reply } from '../gateway.fixture';
import { RecordSettlements } from '../ledger/record-settlements';
import { analyze } from '../payments/payment.fixture';

export function rebateOf({ body }: Reply): RebateEarned | undefined {
  return body['rebate_earned'] as RebateEarned | undefined;
}

/** A buyer whose wallet is in the ledger already. */
export async function aBuyerWith(
  gateway: Gateway,
  earlier: { settledMicros?: number; accruedMicros?: number },
): Promise<Buyer> {
  const buyer = gateway.aBuyer();
  await seedWallet(gateway.ledger.dataSource, buyer.wallet, earlier);
  return buyer;
}

/** As the worker does when it finds the transfer on the chain. */
export async function settleInBackground({ ledger, clock, app }: Gateway, nonce: string): Promise<void> {
  const payment = await ledger.payment(nonce);
  const settledAt = clock.now();
  await app.get(RecordSettlements).record({ payment, transactionHash: null, settledAt, answer: null });
}

export interface HeldCredit {
  token: string;
  /** Who earned it. */
  buyer: Buyer;
}

/** Earned with a payment that leaves nothing accrued. */
export async function aCredit(gateway: Gateway): Promise<HeldCredit> {
  const buyer = await aBuyerWith(gateway, { settledMicros: 20_000_000, accruedMicros: 97_500 });
  const reply = await gateway.pay(await buyer.sign());
  return { token: rebateOf(reply)!.credit_token!, buyer };
}

/** Calls an endpoint with a credit and, if there is one, a payment too. */
export function redeem(
  gateway: Gateway,
  token: string,
  { endpoint = analyze, body, headers }: PaidRequest & { endpoint?: PaidEndpoint } = {},
): Promise<Reply> {
  return gateway.send(endpoint.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-credit': token, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body ?? endpoint.exampleInput),
  });
}

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
