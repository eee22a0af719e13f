import { Clock, uuidv7 } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface OperatorAction {
  operator: string;
  /** The command. */
  action: string;
  step: 'begun' | 'done' | 'unchanged' | 'refused';
  /** What it was about. */
  subject: string;
  arguments: object;
  /** Why it was refused. */
  note?: string;
  before?: object;
  after?: object;
}

/** What people did by hand, for ever: `begun` before anything is changed, then what came of it. */
@Injectable()
export class OperatorActions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  async add({ operator, action, step, subject, note, before, after, ...rest }: OperatorAction): Promise<void> {
    const now = this.clock.now();
    await this.dataSource.query(
      `INSERT INTO operator_actions (id, occurred_at, operator, action, step, subject, arguments, note, before, after)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [uuidv7(now), now, operator, action, step, subject, rest.arguments, note, before, after],
    );
  }
}
