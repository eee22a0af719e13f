import { finished, pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import { Clock } from '@evenkeel/kernel';
import { RateLimited, ServiceUnavailable } from '@evenkeel/platform/http';
import type { Projection } from '@evenkeel/platform/messaging';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DataSource } from 'typeorm';
import { Freshness } from '../../projection/freshness';
import { instantsOf, type Period, windowOf } from '../figures/window';
import { written } from '../payments/row-view';
import { openCsv } from './csv-export';

/** An export holds a connection until its reader has all of it. */
const AT_ONCE = 2;

const RETRY_AFTER_SECONDS = 5;

export const CSV_HEADERS = { 'content-type': 'text/csv; charset=utf-8; header=present' };

type Row = Readonly<Record<string, unknown>>;

export interface CsvFile {
  name: string;
  projection: Projection;
  /** Its first two values are the first instant of the days, and the first one after them. */
  statement: string;
  /** The values after these two. */
  values?: (now: Date) => readonly unknown[];
  titles: string;
}

/** All rows of a window as CSV, read from one state of the database while they are sent. */
@Injectable()
export class CsvExports {
  private open = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly freshness: Freshness,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends all rows of a period while they are read.
   * @throws RateLimited when others are at it, ServiceUnavailable, ValidationFailed for a period that ends after today
   */
  async send(reply: FastifyReply, period: Period, file: CsvFile): Promise<void> {
    const now = this.clock.now();
    const window = windowOf(period, now);
    if (this.open >= AT_ONCE) throw new RateLimited({ scope: 'concurrency' }, RETRY_AFTER_SECONDS);
    this.open++;
    const { name, projection, statement, values = () => [] } = file;
    const titles = file.titles.split(',');
    try {
      const { asOf, lagSeconds } = await this.freshness.read(projection.subscription);
      const stream = await openCsv<Row>(this.dataSource, {
        statement,
        values: [...instantsOf(window), ...values(now)],
        titles,
        recordOf: (row) => titles.map((title) => written(title, row[title])),
      });
      stream.once('close', () => this.open--);
      void reply.headers({
        ...CSV_HEADERS,
        'content-disposition': `attachment; filename="${name}-${window.from}-${window.to}.csv"`,
        'x-as-of': asOf.toISOString(),
        'x-lag-seconds': String(lagSeconds),
      });
      sendPacked(reply, stream);
    } catch (error) {
      this.open--;
      new Logger('revenue').warn({ message: `${name} could not be exported`, error });
      throw new ServiceUnavailable();
    }
  }
}

/** Packed for who takes gzip; to HEAD its headers alone. A reader that goes away ends the stream. */
function sendPacked(reply: FastifyReply, stream: Readable): void {
  const { method, headers } = reply.request;
  const vary = reply.getHeader('vary');
  void reply.header('vary', vary === undefined ? 'accept-encoding' : `${String(vary)}, accept-encoding`);
  const isPacked = negotiate(headers['accept-encoding'] ?? '', ['gzip']) === 'gzip';
  if (isPacked) void reply.header('content-encoding', 'gzip');
  if (method === 'HEAD') {
    // A stream has no length that could be wrong.
    finished(stream, () => void reply.send(Readable.from([])));
    return void stream.destroy();
  }
  if (!isPacked) return void reply.send(stream);
  const packed = createGzip({ level: constants.Z_BEST_SPEED });
  pipeline(stream, packed, () => undefined);
  void reply.send(packed);
}
