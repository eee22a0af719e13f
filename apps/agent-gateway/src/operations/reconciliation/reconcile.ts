import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../../config/agent-gateway.config';
import { CompareWithChain } from './compare-with-chain';
import { CompareWithFacilitator } from './compare-with-facilitator';
import { CompareWithOutbox } from './compare-with-outbox';
import { OpenPayments } from './open-payments';
import { differenceOf, LedgerPages } from './ledger-pages';
import type { Period, Report } from './report';

/** The worker looks at an open payment every 10 min at the latest: what is younger may still be settled by itself. */
const SETTLED_WITHIN_MS = 15 * 60_000;

const SHARED =
  'Settled by a transaction that settled other payments too. Look in a block explorer that it has a transfer for each: the ' +
  'one right after the AuthorizationUsed of its nonce.';

/** Compares the ledger with everything that others keep of the same money. Moves none, and changes no row. */
@Injectable()
export class Reconcile {
  constructor(
    private readonly config: AgentGatewayConfig,
    private readonly clock: Clock,
    private readonly withOutbox: CompareWithOutbox,
    private readonly withChain: CompareWithChain,
    private readonly withFacilitator: CompareWithFacilitator,
    private readonly open: OpenPayments,
    private readonly ledger: LedgerPages,
  ) {}

  /**
   * @param wanted by default `RECONCILE_LOOK_BACK_HOURS`, up to a quarter of an hour ago, and never later than the newest
   *   confirmed block
   * @throws Error when the database, the chain or the facilitator's list cannot be read
   */
  async execute(wanted: Partial<Period> = {}): Promise<Report> {
    const { isLate = () => false, report = () => undefined } = wanted;
    const settledUntil = new Date(this.clock.now().getTime() - SETTLED_WITHIN_MS);
    const until = await this.withChain.confirmed(wanted.until ?? settledUntil);
    const since = wanted.since ?? new Date(until.getTime() - this.config.RECONCILE_LOOK_BACK_HOURS * 3_600_000);
    if (since >= until) {
      throw new RangeError(`Nothing to compare between ${since.toISOString()} and ${until.toISOString()}.`);
    }
    const possible = [this.withOutbox, this.withChain, this.withFacilitator].filter(({ isPossible }) => isPossible);
    // Side by side: one that takes all the time leaves the others none, and the next run would begin where this one began.
    const comparisons = await Promise.all(possible.map((one) => one.execute({ since, until, report, isLate })));
    // The chain tells which of them have a transfer of their own.
    const sharing = this.withChain.isPossible ? [] : await this.ledger.sharing(since, until);
    const needPerson = [...(await this.open.needPerson()), ...sharing.map((one) => differenceOf(one, SHARED))];
    return { since, until, comparisons, needPerson };
  }
}
