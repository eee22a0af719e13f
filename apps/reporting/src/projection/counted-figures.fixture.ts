import { SCOPES, WINDOWS, type LedgerFigures, type WalletFigures, type WindowFigures } from './ledger-figures.fixture';
import { outcomeOf, type CreditStory, type History, type PaymentStory } from './history.fixture';

const DAY_MS = 86_400_000;
const FACE = 100_000;

/** A call that counts somewhere. */
interface Entry {
  day: string;
  endpoint: string;
  wallet: string;
  gross: number;
  cost: number;
  redeemed: number;
  kind: 'paid' | 'credit' | 'given away';
  at: string;
}

/** The expected figures, counted from the whole history by loops, without any code of the projection. */
export function countedFigures(history: History, lastDay: string): LedgerFigures {
  const entries = [...history.payments.flatMap(paymentEntry), ...history.credits.flatMap(creditEntry)];
  const paid = entries.filter(({ kind }) => kind === 'paid');
  const windows: LedgerFigures['windows'] = {};
  for (const days of WINDOWS) {
    const first = dayOf(new Date(Date.parse(lastDay) - (days - 1) * DAY_MS));
    for (const scope of SCOPES) {
      const inside = entries.filter(({ day, endpoint }) => day >= first && day <= lastDay && fits(endpoint, scope));
      windows[keyOf(String(days), scope)] = windowFigures(inside);
    }
  }
  const dailyPayers: LedgerFigures['dailyPayers'] = {};
  for (const day of new Set(paid.map((entry) => entry.day))) {
    for (const scope of SCOPES) {
      const payers = new Set(paid.filter((e) => e.day === day && fits(e.endpoint, scope)).map(({ wallet }) => wallet));
      if (payers.size > 0) dailyPayers[keyOf(day, scope)] = String(payers.size);
    }
  }
  const settled = history.payments.filter(isSettled);
  const names = new Set([...settled, ...history.credits].map(({ wallet }) => wallet));
  const wallets = Object.fromEntries([...names].map((name) => [name, walletFigures(history, name)]));
  return {
    windows,
    dailyPayers,
    wallets,
    tiers: countBy(Object.values(wallets).flatMap(({ tier }) => tier ?? [])),
    settlements: countBy(history.payments.map(outcomeOf)),
    credits: creditFigures(history.credits),
  };
}

function paymentEntry(story: PaymentStory): Entry[] {
  const { verifiedAt, endpoint, wallet, amountMicros, costMicros, served, states } = story;
  const at = verifiedAt.toISOString();
  const entry = { day: dayOf(verifiedAt), endpoint, wallet, cost: costMicros, redeemed: 0, at };
  if (isSettled(story)) return [{ ...entry, gross: amountMicros, kind: 'paid' }];
  const isGivenAway = states.includes('settlement_failed') && served;
  return isGivenAway ? [{ ...entry, gross: 0, kind: 'given away' }] : [];
}

function creditEntry({ redeemedAt, endpoint, wallet, priceMicros, costMicros }: CreditStory): Entry[] {
  if (!redeemedAt) return [];
  const entry = { day: dayOf(redeemedAt), endpoint, wallet, gross: 0, cost: costMicros, at: redeemedAt.toISOString() };
  return [{ ...entry, redeemed: priceMicros, kind: 'credit' }];
}

function windowFigures(entries: readonly Entry[]): WindowFigures {
  const of = (kind: Entry['kind']) => entries.filter((entry) => entry.kind === kind);
  const calls = entries.filter(({ kind }) => kind !== 'given away');
  return {
    gross: sum(entries.map(({ gross }) => gross)),
    cost: sum(entries.map(({ cost }) => cost)),
    paidCalls: String(of('paid').length),
    creditCalls: String(of('credit').length),
    redeemed: sum(entries.map(({ redeemed }) => redeemed)),
    payers: String(new Set(of('paid').map(({ wallet }) => wallet)).size),
    lastCallAt:
      calls
        .map(({ at }) => at)
        .sort()
        .at(-1) ?? null,
  };
}

function walletFigures({ payments, credits }: History, name: string): WalletFigures {
  const paid = payments.filter((story) => story.wallet === name && isSettled(story));
  const own = credits.filter(({ wallet }) => wallet === name);
  const issued = own.filter(({ issuedAt }) => issuedAt);
  const redeemed = own.filter(({ redeemedAt }) => redeemedAt);
  const times = paid.map(({ verifiedAt }) => verifiedAt.toISOString()).sort();
  const back = [...paid.map(({ rebateMicros }) => rebateMicros), ...redeemed.map(({ changeMicros }) => changeMicros)];
  return {
    tier:
      paid
        .map(({ tier }) => tier)
        .sort()
        .at(-1) ?? null,
    lifetime: sum(paid.map(({ amountMicros }) => amountMicros)),
    paidCalls: String(paid.length),
    creditCalls: String(redeemed.length),
    firstAt: times.at(0) ?? null,
    lastAt: times.at(-1) ?? null,
    accrued: sum([...back, -issued.length * FACE]),
    issued: String(issued.length),
    outstanding: String(issued.length - redeemed.length),
  };
}

function creditFigures(credits: readonly CreditStory[]): LedgerFigures['credits'] {
  const issued = credits.filter(({ issuedAt }) => issuedAt).length;
  const redeemed = credits.filter(({ redeemedAt }) => redeemedAt);
  const outstanding = issued - redeemed.length;
  return {
    issued: String(issued),
    redeemed: String(redeemed.length),
    outstanding: String(outstanding),
    face: String(outstanding * FACE),
    price: sum(redeemed.map(({ priceMicros }) => priceMicros)),
  };
}

function countBy(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, String(names.filter((other) => other === name).length)]));
}

const isSettled = ({ states }: PaymentStory) => states.includes('settled');
const fits = (endpoint: string, scope: string | null) => scope === null || endpoint === scope;
const keyOf = (first: string, scope: string | null) => (scope === null ? first : `${first} ${scope}`);
const dayOf = (instant: Date) => instant.toISOString().slice(0, 10);
const sum = (numbers: readonly number[]) => String(numbers.reduce((total, number) => total + BigInt(number), 0n));
