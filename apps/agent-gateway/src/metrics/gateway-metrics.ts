import { Injectable } from '@nestjs/common';
import { Counter, Histogram, Registry } from 'prom-client';

/** What the gateway counts, by the names under which Prometheus reads it. No label holds an id. */
@Injectable()
export class GatewayMetrics {
  /** Settle answers that claim success for another payer or network. */
  readonly settleContradictions: Counter;
  /** One run of a background duty of the worker. */
  readonly dutySeconds: Histogram<'duty' | 'outcome'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.settleContradictions = new Counter({
      name: 'evenkeel_settle_contradictions_total',
      help: 'Settle answers that claim success for another payer or network.',
      registers,
    });
    this.dutySeconds = new Histogram({
      name: 'evenkeel_worker_duty_seconds',
      help: 'Runs of the background duties of the worker.',
      labelNames: ['duty', 'outcome'],
      registers,
    });
  }
}
