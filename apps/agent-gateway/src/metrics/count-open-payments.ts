import { Clock } from '@evenkeel/kernel';
import { AppRegistry } from '@evenkeel/platform/observability';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { GatewayMetrics, type OpenCounts } from './gateway-metrics';

/** Longer than any settle call: a row that is older is taken over by the worker, and has a check then. */
const SETTLING_MS = 5 * 60_000;

// Neither reads the states of all payments, which no index has: open ones have a row in payment_checks, and those that are
// being settled are among the youngest.
const OPEN = `
  SELECT (SELECT count(*)::integer FROM payments WHERE created_at > $1 AND state = 'settling') AS settling,
    count(*) FILTER (WHERE p.state = 'settlement_pending')::integer AS settlement_pending,
    count(*) FILTER (WHERE p.state = 'needs_reconciliation')::integer AS needs_reconciliation
  FROM payment_checks c JOIN payments p ON p.id = c.payment_id`;

/** Counts the payments whose outcome is open, for each page of metrics. */
@Injectable()
export class CountOpenPayments {
  constructor(registry: AppRegistry, dataSource: DataSource, clock: Clock, metrics: GatewayMetrics) {
    const read = async () => {
      const since = new Date(clock.now().getTime() - SETTLING_MS);
      return (await dataSource.query<[OpenCounts]>(OPEN, [since]))[0];
    };
    registry.read('payments', read, (found) => (metrics.openPayments = found));
  }
}
