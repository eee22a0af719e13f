import { ProcessCrash } from '@evenkeel/platform/config';
import { Injectable, Logger } from '@nestjs/common';
import type { CrashPoint } from '../accounts.config';
import { MailSender } from './mail-sender.port';
import { MAILS_AT_ONCE, WaitingMails } from './waiting-mails';
import { WrittenMails, type MailRow } from './written-mails';

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

  private async send(row: MailRow): Promise<void> {
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
  private report({ id, kind, attempts }: MailRow, error: unknown): void {
    const { code, responseCode } = Object(error) as { code?: unknown; responseCode?: unknown };
    this.logger.warn({ message: 'a mail could not be sent', mailId: id, kind, attempts, code, responseCode });
  }
}
