import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { eventually } from '../../testing';
import fc from 'fast-check';
import { csvLine, CsvStream } from './csv-export';

describe('a line of CSV', () => {
  it.each([
    [['a', 'b'], 'a,b\r\n'],
    [['a,b', 'say "yes"', 'two\nlines'], '"a,b","say ""yes""","two\nlines"\r\n'],
    [['', null], ',\r\n'],
    [['=1+1'], "'=1+1\r\n"],
    [['=HYPERLINK("http://x","y")'], `"'=HYPERLINK(""http://x"",""y"")"\r\n`],
    [['+1', '-1', '@a', '\ta', '\ra'], `'+1,'-1,'@a,'\ta,"'\ra"\r\n`],
    [['0x857b', '2026-01-31', '0.050000', 'a=b'], '0x857b,2026-01-31,0.050000,a=b\r\n'],
  ])('%j', (values, line) => expect(csvLine(values)).toBe(line));

  it('reads back as it was, but for the apostrophe that stops a formula', () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom(...'a,"\r\n=+-@\t ;é') }), { minLength: 1 });
    fc.assert(
      fc.property(texts, (values) => {
        const fields = fieldsOf(csvLine(values));
        expect(fields.map((field, index) => (field === values[index] ? field : field.slice(1)))).toEqual(values);
        for (const field of fields) expect(field).not.toMatch(/^[=+\-@\t\r\n]/);
      }),
    );
  });
});

class Numbers {
  given = 0;
  closed = 0;
  failAt = Infinity;

  constructor(private readonly count: number) {}

  async next(count: number): Promise<number[]> {
    if (this.given >= this.failAt) throw new Error('the database went away');
    const rows = Array.from({ length: Math.min(count, this.count - this.given) }, (_, index) => this.given + index);
    this.given += rows.length;
    return rows;
  }

  async close(): Promise<void> {
    this.closed++;
  }
}

const streamOf = (numbers: Numbers) => new CsvStream(numbers, ['n'], (n: number) => [String(n)]);

describe('rows as CSV', () => {
  it('come whole, after their titles, and the source is closed', async () => {
    const numbers = new Numbers(1_203);
    const lines = (await text(streamOf(numbers))).split('\r\n');
    expect(lines).toEqual(['n', ...Array.from({ length: 1_203 }, (_, n) => String(n)), '']);
    expect(numbers.closed).toBe(1);
  });

  it('end when the source is closed, however long that takes', async () => {
    const numbers = new Numbers(3);
    const close = numbers.close.bind(numbers);
    numbers.close = () => new Promise((resolve) => setTimeout(() => resolve(close()), 20));
    const stream = streamOf(numbers).resume();
    await once(stream, 'end');
    expect(numbers.closed).toBe(1);
    await once(stream, 'close');
    expect(numbers.closed).toBe(1);
  });

  it('are titles alone when there are none', async () => expect(await text(streamOf(new Numbers(0)))).toBe('n\r\n'));

  it('are asked for only as they are taken', async () => {
    const numbers = new Numbers(1_000_000);
    const stream = streamOf(numbers);
    stream.read();
    await once(stream, 'readable');
    await new Promise((resolve) => setImmediate(resolve));
    expect(numbers.given).toBeLessThanOrEqual(1_000);
    stream.destroy();
    await eventually(() => expect(numbers.closed).toBe(1));
  });

  it('end in an error that the reader sees, not in a short file', async () => {
    const numbers = new Numbers(1_000_000);
    numbers.failAt = 1_000;
    await expect(text(streamOf(numbers))).rejects.toThrow('the database went away');
    expect(numbers.closed).toBe(1);
  });
});

/** The grammar of RFC 4180, letter by letter. */
function fieldsOf(line: string): string[] {
  const fields = [''];
  let quoted = false;
  for (let index = 0; index < line.length; index++) {
    const letter = line[index]!;
    if (letter === '"' && quoted && line[index + 1] === '"') fields[fields.length - 1] += line[++index]!;
    else if (letter === '"') quoted = !quoted;
    else if (letter === ',' && !quoted) fields.push('');
    else if (letter === '\r' && !quoted) return fields;
    else fields[fields.length - 1] += letter;
  }
  throw new Error('a record without an end');
}
