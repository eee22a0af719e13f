import { Injectable } from '@nestjs/common';
import { AccountsConfig } from '../accounts.config';
import type { OutgoingMail } from './mail-sender.port';
import { mailText, type MailKind } from './mail-texts';
import { MailTokens, type TokenKind } from './mail-tokens';

/** A row of `mails`, with what its token is derived from. */
export interface MailRow {
  id: string;
  kind: MailKind;
  recipient: string;
  createdAt: Date;
  attempts: number;
  tokenId: string | null;
  tokenKind: TokenKind | null;
  keyId: string | null;
}

/** Columns of `mails` as a `MailRow`; `m` and `t`, its token, in FROM. */
export const MAIL_COLUMNS = `
  m.id, m.kind, m.recipient, m.created_at AS "createdAt", m.attempts, m.token_id AS "tokenId", t.kind AS "tokenKind",
  t.key_id AS "keyId"`;

/** Makes the mail of a row: texts and tokens are not stored. */
@Injectable()
export class WrittenMails {
  constructor(
    private readonly config: AccountsConfig,
    private readonly tokens: MailTokens,
  ) {}

  /** @returns null when the key of its token is gone: its link would be dead */
  of({ id, kind, recipient, createdAt, tokenId, tokenKind, keyId }: MailRow): OutgoingMail | null {
    const messageId = `${id}@${new URL(this.config.baseUrl).hostname}`;
    const envelope = { messageId, recipient, writtenAt: createdAt };
    if (tokenId === null) return { ...envelope, ...mailText(kind) };
    const token = this.tokens.clear(tokenKind!, tokenId, keyId!);
    return token === null ? null : { ...envelope, ...mailText(kind, this.link(tokenKind!, token)) };
  }

  /** The token is in the fragment, which no browser sends to a server. */
  private link(kind: TokenKind, token: string): string {
    const { APP_LINK_BASE, baseUrl } = this.config;
    const ours = { verify: `${baseUrl}/v1/auth/email/verify`, reset: `${baseUrl}/v1/auth/password/reset` };
    return `${APP_LINK_BASE === undefined ? ours[kind] : APP_LINK_BASE + kind}#token=${token}`;
  }
}
