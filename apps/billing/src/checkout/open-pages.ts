import { randomUUID } from 'node:crypto';
import type { PaidPlanCode } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Buyer } from './admit-buyer';

/** A page of the provider where somebody pays, as we remember it. */
export interface OpenPage {
  /** Also the idempotency key of its session. */
  id: string;
  userId: string;
  plan: PaidPlanCode;
  trialDays: number;
  /** Null until the provider has made it. */
  sessionId: string | null;
}

/** One open page of a user at a time, whatever the number of requests and processes. */
@Injectable()
export class OpenPages {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** @returns the page that is open, of whatever plan; else a new one, which the provider does not know yet */
  async claim({ userId, trialDays }: Buyer, plan: PaidPlanCode): Promise<OpenPage> {
    const [page] = await this.dataSource.query<[OpenPage]>(
      `INSERT INTO checkouts AS c (id, user_id, plan_code, trial_days, created_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (user_id) WHERE closed_at IS NULL DO UPDATE SET user_id = c.user_id
       RETURNING id, user_id AS "userId", plan_code AS plan, trial_days AS "trialDays", session_id AS "sessionId"`,
      [randomUUID(), userId, plan, trialDays, this.clock.now()],
    );
    return page;
  }

  async remember(pageId: string, sessionId: string): Promise<void> {
    await this.dataSource.query('UPDATE checkouts SET session_id = $2 WHERE id = $1', [pageId, sessionId]);
  }

  async close(pageId: string): Promise<void> {
    await this.dataSource.query('UPDATE checkouts SET closed_at = $2 WHERE id = $1 AND closed_at IS NULL', [
      ...[pageId, this.clock.now()],
    ]);
  }
}
