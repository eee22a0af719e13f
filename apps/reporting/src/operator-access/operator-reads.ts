import { Clock, uuidv7 } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface OperatorRead {
  path: string;
  /** As it was sent. */
  query: unknown;
  requestId: string;
  /** Network of the address that asked: /24 or /48 (D-126). */
  network: string;
}

/** Who of the operators has looked at what, for ever: the table takes rows and gives none back. */
@Injectable()
export class OperatorReads {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  async add({ path, query, requestId, network }: OperatorRead): Promise<void> {
    const now = this.clock.now();
    await this.dataSource.query(
      'INSERT INTO operator_reads (id, occurred_at, path, query, request_id, network) VALUES ($1, $2, $3, $4, $5, $6)',
      [uuidv7(now), now, path, JSON.stringify(query), requestId, network],
    );
  }
}
