import type { DataSource, EntityManager } from 'typeorm';

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
 * A transaction of such statements alone: COMMIT is sent with them, and none of them is carried out when one fails. It takes one round
 * trip, and holds its locks and its connection no longer.
 * @param statements each sends one statement, and at once
 */
export function transactTogether<Asked extends readonly unknown[] | []>(
  dataSource: DataSource,
  statements: (tx: EntityManager) => Asked,
): Promise<{ -readonly [At in keyof Asked]: Awaited<Asked[At]> }> {
  return onOneConnection(dataSource, async (tx) => {
    const begun = tx.query('START TRANSACTION');
    let asked: Asked;
    try {
      asked = statements(tx);
    } catch (error) {
      await tx.query('ROLLBACK'); // else the next statement on the connection would begin it
      throw error;
    }
    await together([begun, ...asked, tx.query('COMMIT')]);
    return together(asked);
  });
}
