import { Clock } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { AppRegistry } from '@evenkeel/platform/observability';
import { poolOf } from '@evenkeel/platform/persistence';
import { BackgroundWorker, type WorkerJob } from '@evenkeel/platform/service';
import { Injectable, Logger } from '@nestjs/common';
import { createTransport } from 'nodemailer';
import { DataSource, In, LessThanOrEqual } from 'typeorm';
import { AccountsConfig, type CrashPoint } from '../accounts.config';
import { mailText } from './mail-texts';
import { MailTokens } from './mail-tokens';
import { Mail, type TokenKind } from './mails.entities';
import { ResetRequests } from './post-mail';

/** Makes the mail of a row: texts and tokens are not stored. */
@Injectable()
export class WrittenMails {
  constructor(
    private readonly config: AccountsConfig,
    private readonly tokens: MailTokens,
  ) {}

  /** @returns null when the key of its token is gone: its link would be dead */
  of({ id, kind, recipient, createdAt, token }: Mail) {
    const clear = token && this.tokens.clear(token.kind, token.id, token.keyId);
    if (token && clear === null) return null;
    return {
      ...mailText(kind, token && clear ? this.link(token.kind, clear) : undefined),
      from: this.config.MAIL_FROM,
      date: createdAt,
      // As parts: nothing in an address is read as a list of addresses.
      to: { name: '', address: recipient },
      // The same for every try, so that a mail that arrives twice can be seen to be one.
      messageId: `<${id}@${new URL(this.config.baseUrl).hostname}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    };
  }

  /** The token is in the fragment, which no browser sends to a server. */
  private link(kind: TokenKind, token: string): string {
    const { APP_LINK_BASE, baseUrl } = this.config;
    const ours = { verify: `${baseUrl}/v1/auth/email/verify`, reset: `${baseUrl}/v1/auth/password/reset` };
    return `${APP_LINK_BASE === undefined ? ours[kind] : APP_LINK_BASE + kind}#token=${token}`;
  }
}

/** For each wait of a connection, so that a silent server is noticed before the whole time is over. */
const STEP_MS = 5_000;
/** For one mail, whatever it waits for: less than it is taken for. */
const WHOLE_MS = 9_000;

/** @param url `smtp://` or `smtps://`, with user, password and options of the connection (`?requireTLS=true`) */
export function smtpTransport(url: string) {
  return createTransport({
    url,
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    dnsTimeout: STEP_MS,
    socketCloseTimeout: 0,
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false,
  });
}

/** Sent side by side by one process. */
const MAILS_AT_ONCE = 5;
/** A mail is of the process that took it for so long: more than twice what sending may take. */
const TAKEN_MS = 20_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10 * 60_000;
const KEPT_MS = 48 * 3_600_000;

// One statement: two processes never take the same row, and the time for which it is taken begins with it.
const TAKE = `
  WITH due AS (
    SELECT m.id FROM mails m JOIN users u ON u.id = m.user_id
    WHERE m.send_at <= $1 AND u.deleted_at IS NULL ORDER BY m.send_at LIMIT ${MAILS_AT_ONCE} FOR UPDATE OF m SKIP LOCKED
  )
  UPDATE mails SET attempts = mails.attempts + 1, send_at = $2 FROM due WHERE mails.id = due.id RETURNING mails.id`;

/** Sends the mails that wait. A mail is sent at least once: again only when the process dies before its row is gone. */
@Injectable()
export class SendMails {
  private readonly logger = new Logger('mails');
  private readonly transport;

  constructor(
    private readonly config: AccountsConfig,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly written: WrittenMails,
    private readonly crash: ProcessCrash<CrashPoint>,
  ) {
    this.transport = config.sendsMails ? smtpTransport(config.SMTP_URL!) : undefined;
  }

  /** @returns whether more may be due */
  async execute(): Promise<boolean> {
    const taken = await this.take();
    await Promise.all(taken.map((row) => this.send(row)));
    return taken.length === MAILS_AT_ONCE;
  }

  /** Those that are due; for `TAKEN_MS` no other process gets them. */
  private async take(): Promise<Mail[]> {
    const now = this.clock.now();
    const takenUntil = new Date(now.getTime() + TAKEN_MS);
    const { rows } = await poolOf(this.dataSource).query<{ id: string }>(TAKE, [now, takenUntil]);
    if (rows.length === 0) return [];
    const where = { id: In(rows.map(({ id }) => id)) };
    return this.dataSource.manager.find(Mail, { where, relations: { token: true } });
  }

  /** On a connection of its own. The other side may have taken it also when this fails. */
  private async send(row: Mail): Promise<void> {
    const mail = this.written.of(row);
    if (mail) {
      try {
        await this.transport!.sendMail({ ...mail, signal: AbortSignal.timeout(WHOLE_MS) });
      } catch (error) {
        return this.postpone(row, error);
      }
      this.crash.pass('mail_sent');
    }
    // It was sent, or cannot be: nothing of it stays.
    await this.dataSource.manager.delete(Mail, { id: row.id });
  }

  /** A second, then twice as long each time, and not all mails at the same moment. */
  private async postpone({ id, kind, attempts }: Mail, error: unknown): Promise<void> {
    // Codes alone: what a server says names the address that it says it about.
    const { code, responseCode } = Object(error) as { code?: unknown; responseCode?: unknown };
    this.logger.warn({ message: 'a mail could not be sent', mailId: id, kind, attempts, code, responseCode });
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1)) * (1 - Math.random() / 2);
    const sendAt = new Date(this.clock.now().getTime() + pauseMs);
    await this.dataSource.manager.update(Mail, { id }, { sendAt });
  }

  /** Drops mails that could not be sent in two days. */
  async eraseOld(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    const { affected } = await this.dataSource.manager.delete(Mail, { createdAt: LessThanOrEqual(before) });
    if (affected) this.logger.warn({ message: 'mails were given up after 48 hours', count: affected });
  }
}

const WITHIN_MS = 10_000;
const OFTEN = { everyMs: 250, withinMs: WITHIN_MS };
const SELDOM = { everyMs: 60_000, withinMs: WITHIN_MS };

/** Background jobs about mails. Without `SMTP_URL` none is sent: they wait, and `/dev/mails` shows them. */
@Injectable()
export class MailWorker extends BackgroundWorker {
  protected readonly jobs: readonly WorkerJob[];

  constructor(
    { sendsMails }: AccountsConfig,
    sending: SendMails,
    tokens: MailTokens,
    requests: ResetRequests,
    { manager }: DataSource,
    registry: AppRegistry,
  ) {
    super();
    const erase = async () => {
      await sending.eraseOld();
      await tokens.eraseExpired(manager);
      return false;
    };
    this.jobs = [
      { name: 'answer_reset_requests', ...OFTEN, run: (isLate) => requests.answerAll(isLate) },
      ...(sendsMails ? [{ name: 'send_mails', ...OFTEN, run: () => sending.execute() }] : []),
      { name: 'erase_mails', ...SELDOM, run: erase },
    ];
    registry.show('mails', () => manager.count(Mail), { mails_waiting: (waiting) => [{ value: waiting }] });
  }
}
