import { BackgroundWorker, type WorkerDuty } from '@evenkeel/platform/background';
import { ProcessCrash } from '@evenkeel/platform/config';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountsConfig, type CrashPoint } from '../accounts.config';
import { MailTokens } from './mail-tokens';
import type { Mail } from './mails.entities';
import { ResetRequests } from './reset-requests';
import { MailSender } from './smtp-mail-sender';
import { WaitingMails, MAILS_AT_ONCE, WrittenMails } from './waiting-mails';

/** Sends the mails that wait. A mail is sent at least once: again only when the process dies before its row is gone. */
@Injectable()
export class SendMails {
  private readonly logger = new Logger('mails');

  constructor(
    private readonly waiting: WaitingMails,
    private readonly written: WrittenMails,
    private readonly sender: MailSender,
    private readonly crash: ProcessCrash<CrashPoint>,
  ) {}

  /** @returns whether more may be due */
  async execute(): Promise<boolean> {
    const taken = await this.waiting.take();
    await Promise.all(taken.map((row) => this.send(row)));
    return taken.length === MAILS_AT_ONCE;
  }

  private async send(row: Mail): Promise<void> {
    const mail = this.written.of(row);
    if (mail) {
      try {
        await this.sender.send(mail);
      } catch (error) {
        this.report(row, error);
        return this.waiting.postpone(row);
      }
      this.crash.pass('mail_sent');
    }
    await this.waiting.remove(row.id);
  }

  /** Codes alone: what a server says names the address that it says it about. */
  private report({ id, kind, attempts }: Mail, error: unknown): void {
    const { code, responseCode } = Object(error) as { code?: unknown; responseCode?: unknown };
    this.logger.warn({ message: 'a mail could not be sent', mailId: id, kind, attempts, code, responseCode });
  }
}

const EVERY_MS = 250;
const ERASE_EVERY_MS = 60_000;
const WITHIN_MS = 10_000;

/** What is done about mails in the background. Without `SMTP_URL` none is sent: they wait, and `/dev/mails` shows them. */
@Injectable()
export class MailWorker extends BackgroundWorker {
  protected readonly duties: readonly WorkerDuty[];

  constructor(
    config: AccountsConfig,
    sendMails: SendMails,
    waiting: WaitingMails,
    tokens: MailTokens,
    requests: ResetRequests,
    dataSource: DataSource,
  ) {
    super();
    const often = { everyMs: EVERY_MS, withinMs: WITHIN_MS };
    const erase = async () => {
      await waiting.eraseOld();
      await tokens.eraseExpired(dataSource.manager);
      return false;
    };
    this.duties = [
      { name: 'answer_reset_requests', ...often, run: (isLate) => requests.answerAll(isLate) },
      ...(config.sendsMails ? [{ name: 'send_mails', ...often, run: () => sendMails.execute() }] : []),
      { name: 'erase_mails', everyMs: ERASE_EVERY_MS, withinMs: WITHIN_MS, run: erase },
    ];
  }
}
