import { Clock, uuidv7 } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, type QueryRunner } from 'typeorm';

export interface OperatorAction {
  operator: string;
  /** The command. */
  action: string;
  step: 'begun' | 'done' | 'unchanged' | 'refused';
  /** The id that it was about. */
  subject: string;
  arguments: object;
  /** Why it was refused. */
  note?: string;
  before?: object;
  after?: object;
}

/** Actions of operators: `begun` before anything is changed, then the result. Rows are never changed or deleted. */
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

/** For the migration of an app: the table of `OperatorActions`. A trigger refuses every change, also by the owner of the table. */
export async function createOperatorActions(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE operator_actions (
      id uuid PRIMARY KEY,
      occurred_at timestamptz NOT NULL,
      operator text NOT NULL CHECK (operator <> ''),
      action text NOT NULL,
      step text NOT NULL CHECK (step IN ('begun', 'done', 'unchanged', 'refused')),
      subject text NOT NULL,
      arguments jsonb NOT NULL,
      note text,
      before jsonb,
      after jsonb
    )`);
  await runner.query(`CREATE INDEX operator_actions_subject ON operator_actions (subject)`);
  await runner.query(`
    CREATE FUNCTION refuse_to_change_operator_actions() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'operator_actions is append-only';
    END $$`);
  await runner.query(`
    CREATE TRIGGER operator_actions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_actions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_operator_actions()`);
}

export async function dropOperatorActions(runner: QueryRunner): Promise<void> {
  await runner.query('DROP TABLE operator_actions');
  await runner.query('DROP FUNCTION refuse_to_change_operator_actions()');
}
