import { BackgroundWorker, type WorkerDuty } from '@evenkeel/platform/background';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountsConfig } from '../accounts.config';
import { MailTokens } from './mail-tokens';
import { ResetRequests } from './reset-requests';
import { SendMails } from './send-mails';
import { WaitingMails } from './waiting-mails';

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
