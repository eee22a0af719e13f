import { DataSource, type EntityManager } from 'typeorm';

/**
 * Statements of a transaction that need no answer of each other, asked for at once: they are carried out in their order, and awaited
 * together. As `Promise.all`, but when it throws, all have ended: none of them goes on behind the ROLLBACK, outside the transaction.
 * @see docs/adr/0036-statements-that-are-awaited-together.md
 */
export async function together<Asked extends readonly unknown[] | []>(
  asked: Asked,
): Promise<{ -readonly [At in keyof Asked]: Awaited<Asked[At]> }> {
  await Promise.allSettled(asked);
  return Promise.all(asked);
}

/**
 * For statements outside a transaction that are asked for `together`: on one connection they keep it for one round trip; on several
 * each keeps its own as long, and a slow database has the pool wait.
 */
export async function onOneConnection<Result>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<Result>,
): Promise<Result> {
  const runner = dataSource.createQueryRunner();
  try {
    return await work(runner.manager);
  } finally {
    await runner.release();
  }
}

/**
 * A transaction that ends with such statements: COMMIT is sent with them, and nothing is carried out when one fails. Where there are no
 * others it takes one round trip, and holds its locks and its connection no longer.
 * @param on a data source, or one connection of it outside a transaction
 * @param statements each of those that it returns sends one, and at once; what it awaits before them may refuse
 */
export function transactTogether<Asked extends readonly unknown[] | []>(
  on: DataSource | EntityManager,
  statements: (tx: EntityManager) => Asked | Promise<Asked>,
): Promise<{ -readonly [At in keyof Asked]: Awaited<Asked[At]> }> {
  if (on instanceof DataSource) return onOneConnection(on, (manager) => transactTogether(manager, statements));
  return endTogether(on, statements);
}

async function endTogether<Asked extends readonly unknown[] | []>(
  tx: EntityManager,
  statements: (tx: EntityManager) => Asked | Promise<Asked>,
): Promise<{ -readonly [At in keyof Asked]: Awaited<Asked[At]> }> {
  await tx.query('START TRANSACTION');
  let asked: Asked;
  try {
    asked = await statements(tx);
  } catch (error) {
    // Else the next statement on the connection would be in it. What is thrown is why it ended.
    await tx.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
  await together([...asked, tx.query('COMMIT')]);
  return together(asked);
}
