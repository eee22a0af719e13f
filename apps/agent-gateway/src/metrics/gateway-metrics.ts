import { Clock } from '@evenkeel/kernel';
import { AppRegistry, expose, timings } from '@evenkeel/platform/observability';
import { Injectable } from '@nestjs/common';
import { Registry, type Histogram } from 'prom-client';
import { DataSource } from 'typeorm';

/** States in which the outcome of a payment is known. */
type EndState = 'settled' | 'settlement_failed';
/** How many payments in the ledger have an uncertain outcome, or none yet. */
type OpenCounts = Readonly<Record<'settling' | 'settlement_pending' | 'needs_reconciliation', number>>;

/** With the age of the oldest that is settling or waits for its settlement; 0 when none does. */
interface OpenPayments {
  counts: OpenCounts;
  oldestSeconds: number;
}

/** The metrics of the gateway, by their names for Prometheus. No label holds an id. */
@Injectable()
export class GatewayMetrics {
  /** Settle answers that claim success for another payer or network. */
  settleContradictions = 0;
  /** Null where they are not read, or could not be read. */
  openPayments: OpenPayments | null = null;
  /** Found by the last reconciliation of this process; null before the first. */
  reconciliationDifferences: number | null = null;
  private readonly ended: Record<EndState, number> = { settled: 0, settlement_failed: 0 };
  private readonly circuits = new Map<string, { isOpen: boolean }>();
  private readonly unusable = new Map<string, { labels: { call: string; status: string }; value: number }>();
  private readonly facilitatorSeconds: Histogram;

  constructor(registry: Registry) {
    expose(registry, 'settle_contradictions_total', () => [{ value: this.settleContradictions }]);
    this.facilitatorSeconds = timings('facilitator_seconds', registry);
    this.exposePayments(registry);
    this.exposeFacilitator(registry);
  }

  /** After the commit that moved them there. */
  paymentsEnded(state: EndState, count: number): void {
    this.ended[state] += count;
  }

  /** @param dependency what is called through it */
  watchCircuit(dependency: string, circuit: { readonly isOpen: boolean }): void {
    this.circuits.set(dependency, circuit);
  }

  /** @param outcome class of the status, or `no_answer` */
  facilitatorCalled(call: string, outcome: string, seconds: number): void {
    this.facilitatorSeconds.observe({ call, outcome }, seconds);
  }

  /** @param status of an answer that decides nothing */
  facilitatorUnusable(call: string, status: number): void {
    const labels = { call, status: String(status) };
    const key = call + labels.status;
    this.unusable.set(key, { labels, value: (this.unusable.get(key)?.value ?? 0) + 1 });
  }

  private exposePayments(registry: Registry): void {
    expose(registry, 'payments', () =>
      Object.entries({ ...this.openPayments?.counts, ...this.ended }).map(([state, value]) => ({
        labels: { state },
        value,
      })),
    );
    expose(registry, 'payments_oldest_seconds', () =>
      this.openPayments === null ? [] : [{ value: this.openPayments.oldestSeconds }],
    );
    expose(registry, 'reconciliation_differences', () =>
      this.reconciliationDifferences === null ? [] : [{ value: this.reconciliationDifferences }],
    );
  }

  private exposeFacilitator(registry: Registry): void {
    expose(registry, 'facilitator_unusable_total', () => [...this.unusable.values()]);
    expose(registry, 'circuit_open', () =>
      [...this.circuits].map(([dependency, { isOpen }]) => ({ labels: { dependency }, value: isOpen ? 1 : 0 })),
    );
  }
}

const SECOND_MS = 1_000;

/** Longer than any settle call: a row that is older is taken over by the worker, and then has a check. */
const SETTLING_MS = 5 * 60_000;

// Neither part reads the states of all payments, which no index has: uncertain payments have a row in payment_checks, and
// those that are being settled are among the youngest.
const OPEN = `
  SELECT (SELECT count(*)::integer FROM payments WHERE created_at > $1 AND state = 'settling') AS settling,
    count(*) FILTER (WHERE p.state = 'settlement_pending')::integer AS settlement_pending,
    count(*) FILTER (WHERE p.state = 'needs_reconciliation')::integer AS needs_reconciliation,
    min(p.created_at) FILTER (WHERE p.state IN ('settling', 'settlement_pending')) AS oldest
  FROM payment_checks c JOIN payments p ON p.id = c.payment_id`;

/** Counts the payments whose outcome is not known, for each page of metrics. */
@Injectable()
export class CountOpenPayments {
  constructor(registry: AppRegistry, dataSource: DataSource, clock: Clock, metrics: GatewayMetrics) {
    const read = async () => {
      const nowMs = clock.now().getTime();
      const [row] = await dataSource.query<[OpenCounts & { oldest: Date | null }]>(OPEN, [
        new Date(nowMs - SETTLING_MS),
      ]);
      const { oldest, ...counts } = row;
      return { counts, oldestSeconds: oldest === null ? 0 : Math.max(0, nowMs - oldest.getTime()) / SECOND_MS };
    };
    registry.read('payments', read, (found) => (metrics.openPayments = found));
  }
}
