import { ManualClock } from '@evenkeel/kernel';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTestDatabase } from '../testing';
import { createOperatorActions, dropOperatorActions, OperatorActions } from '.';

class CreateActions1736847000000 implements MigrationInterface {
  up = (runner: QueryRunner): Promise<void> => createOperatorActions(runner);
  down = (runner: QueryRunner): Promise<void> => dropOperatorActions(runner);
}

const noon = new Date('2026-01-02T12:00:00Z');
const begun = {
  operator: 'ann',
  action: 'refund',
  step: 'begun',
  subject: 'order 7',
  arguments: { cents: 5 },
} as const;

it('a row for each step of an action is never changed', async () => {
  await using database = await createTestDatabase({
    name: 'actions',
    entities: [],
    migrations: [CreateActions1736847000000],
  });
  const { dataSource } = database;
  const actions = new OperatorActions(dataSource, new ManualClock(noon));
  await actions.add(begun);
  await actions.add({ ...begun, step: 'refused', note: 'too late', before: { state: 'paid' } });
  for (const change of [`UPDATE operator_actions SET operator = 'eve'`, 'DELETE FROM operator_actions']) {
    await expect(dataSource.query(change)).rejects.toThrow('operator_actions is append-only');
  }
  await expect(dataSource.query('TRUNCATE operator_actions')).rejects.toThrow('operator_actions is append-only');
  expect(await dataSource.query('SELECT * FROM operator_actions ORDER BY step')).toMatchObject([
    { ...begun, occurred_at: noon, note: null, before: null, after: null },
    { ...begun, step: 'refused', note: 'too late', before: { state: 'paid' }, after: null },
  ]);
});
