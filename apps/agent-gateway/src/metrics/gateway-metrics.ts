import { Clock } from '@evenkeel/kernel';
import { AppRegistry, catalogued, expose, timings } from '@evenkeel/platform/observability';
import { Injectable } from '@nestjs/common';
import { Counter, Registry, type Histogram } from 'prom-client';
import { DataSource } from 'typeorm';

/** States in which the outcome of a payment is known. */
type EndState = 'settled' | 'settlement_failed';

/** The metrics of the gateway, by their names for Prometheus. No label holds an id. */
@Injectable()
export class GatewayMetrics {
  /** Settle answers that claim success for another payer or network. */
  settleContradictions = 0;
  /** Found by the last reconciliation of this process; null before the first. */
  reconciliationDifferences: number | null = null;
  private readonly ended: Record<EndState, number> = { settled: 0, settlement_failed: 0 };
  private readonly circuits = new Map<string, { isOpen: boolean }>();
  private readonly unusable: Counter;
  private readonly facilitatorSeconds: Histogram;

  constructor(registry: Registry) {
    this.facilitatorSeconds = timings('facilitator_seconds', registry);
    this.unusable = new Counter({ ...catalogued('facilitator_unusable_total'), registers: [registry] });
    expose(registry, 'settle_contradictions_total', () => [{ value: this.settleContradictions }]);
    expose(registry, 'payments', () => byState(this.ended));
    expose(registry, 'reconciliation_differences', () =>
      this.reconciliationDifferences === null ? [] : [{ value: this.reconciliationDifferences }],
    );
    expose(registry, 'circuit_open', () =>
      [...this.circuits].map(([dependency, { isOpen }]) => ({ labels: { dependency }, value: isOpen ? 1 : 0 })),
    );
  }

  /** After the commit that moved them there. */
  paymentsEnded(state: EndState, count: number): void {
    this.ended[state] += count;
  }

  watchCircuit(dependency: string, circuit: { readonly isOpen: boolean }): void {
    this.circuits.set(dependency, circuit);
  }

  facilitatorCalled(call: string, outcome: string, seconds: number): void {
    this.facilitatorSeconds.observe({ call, outcome }, seconds);
  }

  facilitatorUnusable(call: string, status: number): void {
    this.unusable.inc({ call, status });
  }
}

function byState(counts: Readonly<Record<string, number>>) {
  return Object.entries(counts).map(([state, value]) => ({ labels: { state }, value }));
}

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

type OpenCounts = Record<'settling' | 'settlement_pending' | 'needs_reconciliation', number>;

/** Counts the payments whose outcome is not known, for each page of metrics. */
@Injectable()
export class CountOpenPayments {
  constructor(registry: AppRegistry, dataSource: DataSource, clock: Clock) {
    const read = async () => {
      const nowMs = clock.now().getTime();
      const [row] = await dataSource.query<[OpenCounts & { oldest: Date | null }]>(OPEN, [
        new Date(nowMs - SETTLING_MS),
      ]);
      const { oldest, ...counts } = row;
      return { counts, oldestSeconds: Math.max(0, nowMs - (oldest?.getTime() ?? nowMs)) / 1_000 };
    };
    registry.show('payments', read, {
      payments: ({ counts }) => byState(counts),
      payments_oldest_seconds: ({ oldestSeconds }) => [{ value: oldestSeconds }],
    });
  }
}
