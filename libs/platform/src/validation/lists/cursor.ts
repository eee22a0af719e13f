/** Runs a statement, one of several of a transaction. */
export type Query = <Row>(statement: string, values: unknown[]) => Promise<Row[]>;

/** The same for all: the database counts statements by their text. */
const NAME = 'read_rows';

/**
 * Rows of a statement, some at a time: none takes long, however many there are and however slowly they are taken. A transaction has
 * one open at a time.
 */
export class Cursor<Row> {
  private constructor(private readonly query: Query) {}

  /** @param query in a transaction */
  static async open<Row>(query: Query, statement: string, values: unknown[]): Promise<Cursor<Row>> {
    await query(`DECLARE ${NAME} NO SCROLL CURSOR FOR ${statement}`, values);
    return new Cursor<Row>(query);
  }

  /** The next rows; empty at the end. */
  next(count: number): Promise<Row[]> {
    return this.query<Row>(`FETCH ${count} FROM ${NAME}`, []);
  }

  async close(): Promise<void> {
    await this.query(`CLOSE ${NAME}`, []);
  }
}

const PAGE = 2_000;

/**
 * All rows of a statement, 2,000 at a time. One statement of a transaction is read so at a time.
 * @param query in a transaction
 */
export async function* pagesOf<Row>(query: Query, statement: string, values: unknown[]): AsyncGenerator<Row[]> {
  const cursor = await Cursor.open<Row>(query, statement, values);
  for (;;) {
    const page = await cursor.next(PAGE);
    if (page.length > 0) yield page;
    if (page.length < PAGE) break;
  }
  await cursor.close();
}
