import { hashOfToken } from '@evenkeel/platform/keys';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** A refresh token of ours, whatever has become of it. */
export interface FoundToken {
  id: string;
  sessionId: string;
  userId: string;
  /** As it was sent. */
  clear: string;
}

@Injectable()
export class FindRefreshToken {
  constructor(private readonly dataSource: DataSource) {}

  async execute(clear: string): Promise<FoundToken | null> {
    const [found] = await this.dataSource.query<Omit<FoundToken, 'clear'>[]>(
      `SELECT t.id, t.session_id AS "sessionId", s.user_id AS "userId"
       FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id WHERE t.token_hash = $1`,
      [hashOfToken(clear)],
    );
    return found ? { ...found, clear } : null;
  }
}
