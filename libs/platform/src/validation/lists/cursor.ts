/** Runs a statement, one of several of a transaction. */
export type Query = <Row>(statement: string, values: unknown[]) => Promise<Row[]>;

/** The same for all: the database counts statements by their text. */
const NAME = 'read_rows';
const PAGE = 2_000;

/**
 * All rows of a statement, 2,000 at a time: none takes long, however many there are and however slowly they are taken. One
 * statement of a transaction is read so at a time.
 * @param query in a transaction
 */
export async function* pagesOf<Row>(query: Query, statement: string, values: unknown[]): AsyncGenerator<Row[]> {
  await query(`DECLARE ${NAME} NO SCROLL CURSOR FOR ${statement}`, values);
  for (;;) {
    const page = await query<Row>(`FETCH ${PAGE} FROM ${NAME}`, []);
    if (page.length > 0) yield page;
    if (page.length < PAGE) break;
  }
  await query(`CLOSE ${NAME}`, []);
}
