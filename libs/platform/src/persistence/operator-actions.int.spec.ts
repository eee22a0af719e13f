import { ManualClock } from '@evenkeel/kernel';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../testing';
import { createOperatorActions, dropOperatorActions, OperatorActions } from '.';

class CreateActions1736847000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createOperatorActions(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropOperatorActions(runner);
  }
}

const noon = new Date('2026-01-02T12:00:00Z');
const begun = {
  operator: 'ann',
  action: 'refund',
  step: 'begun',
  subject: 'order 7',
  arguments: { cents: 5 },
} as const;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ name: 'actions', entities: [], migrations: [CreateActions1736847000000] });
});
afterAll(() => database.drop());

describe('OperatorActions', () => {
  it('writes one row for each step', async () => {
    const actions = new OperatorActions(database.dataSource, new ManualClock(noon));
    await actions.add(begun);
    await actions.add({ ...begun, step: 'refused', note: 'too late', before: { state: 'paid' } });
    const rows = await database.dataSource.query('SELECT * FROM operator_actions ORDER BY step');
    expect(rows).toMatchObject([
      { ...begun, occurred_at: noon, note: null, before: null, after: null },
      { ...begun, step: 'refused', note: 'too late', before: { state: 'paid' }, after: null },
    ]);
  });

  it.each([
    "UPDATE operator_actions SET operator = 'eve'",
    'DELETE FROM operator_actions',
    'TRUNCATE operator_actions',
  ])('are never changed: %s', async (statement) => {
    await expect(database.dataSource.query(statement)).rejects.toThrow('operator_actions is append-only');
  });

  it('leave nothing behind when their table is dropped', async () => {
    const runner = database.dataSource.createQueryRunner();
    await dropOperatorActions(runner);
    const left = await runner.query(`SELECT proname FROM pg_proc WHERE proname LIKE 'refuse_to_change%'`);
    await createOperatorActions(runner);
    await runner.release();
    expect(left).toEqual([]);
  });
});
