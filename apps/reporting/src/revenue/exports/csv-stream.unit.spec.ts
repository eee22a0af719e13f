import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { eventually } from '@evenkeel/platform/testing';
import { CsvStream } from './csv-stream';

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
