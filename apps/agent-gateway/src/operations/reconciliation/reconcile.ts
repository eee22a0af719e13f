import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../../config/agent-gateway.config';
import { CompareWithChain } from './compare-with-chain';
import { CompareWithFacilitator } from './compare-with-facilitator';
import { CompareWithOutbox } from './compare-with-outbox';
import { OpenPayments } from './open-payments';
import { differenceOf, LedgerPages } from './ledger-pages';
import type { Compare, Comparison, Period, Report } from './report';

/** The worker looks at an open payment every 10 min at the latest: what is younger may still be settled by itself. */
const SETTLED_WITHIN_MS = 15 * 60_000;

const SHARED =
  'Settled by a transaction that settled other payments too. Look in a block explorer that it has a transfer for each: the ' +
  'one right after the AuthorizationUsed of its nonce.';

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
    private readonly ledger: LedgerPages,
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
    // The chain tells which of them have a transfer of their own.
    const sharing = this.withChain.isPossible ? [] : await this.ledger.sharing(since, until);
    const needPerson = [...(await this.open.needPerson()), ...sharing.map((one) => differenceOf(one, SHARED))];
    return { since, until, comparisons, needPerson };
  }
}
