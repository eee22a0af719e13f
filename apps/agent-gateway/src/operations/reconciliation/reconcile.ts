import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../../config/agent-gateway.config';
import { CompareWithChain } from './compare-with-chain';
import { CompareWithFacilitator } from './compare-with-facilitator';
import { CompareWithOutbox } from './compare-with-outbox';
import { OpenPayments } from './open-payments';
import type { Compare, Comparison, Period, Report } from './report';

/** The worker looks at an open payment every 10 min at the latest: what is younger may still be settled by itself. */
const SETTLED_WITHIN_MS = 15 * 60_000;

export interface ReconcileCommand {
  /** Default: `RECONCILE_LOOK_BACK_HOURS` before `until`. */
  since?: Date;
  /** Default: a quarter of an hour ago; never later than the newest confirmed block. */
  until?: Date;
  /** The time is up: it returns what it has compared. */
  isLate: () => boolean;
  report?: (line: string) => void;
}

/** Compares the ledger with everything that others keep of the same money. Moves none, and changes no row. */
@Injectable()
export class Reconcile {
  constructor(
    private readonly config: AgentGatewayConfig,
    private readonly clock: Clock,
    private readonly outbox: CompareWithOutbox,
    private readonly withChain: CompareWithChain,
    private readonly withFacilitator: CompareWithFacilitator,
    private readonly open: OpenPayments,
  ) {}

  /** @throws Error when the database, the chain or the facilitator's list cannot be read */
  async execute({ isLate, report = () => undefined, ...command }: ReconcileCommand): Promise<Report> {
    const until = await this.withChain.confirmed(
      command.until ?? new Date(this.clock.now().getTime() - SETTLED_WITHIN_MS),
    );
    const since = command.since ?? new Date(until.getTime() - this.config.RECONCILE_LOOK_BACK_HOURS * 3_600_000);
    if (since >= until)
      throw new RangeError(`Nothing to compare between ${since.toISOString()} and ${until.toISOString()}.`);
    const period: Period = { since, until, report, isLate };
    const comparisons: Comparison[] = [];
    for (const compare of [this.outbox, this.withChain, this.withFacilitator] satisfies Compare[]) {
      if (compare.isPossible) comparisons.push(await compare.execute(period));
    }
    return { since, until, comparisons, needPerson: await this.open.needPerson() };
  }
}
