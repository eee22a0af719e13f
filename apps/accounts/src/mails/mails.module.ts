import { Module } from '@nestjs/common';
import { AccountsConfig } from '../accounts.config';
import { DevMailsController } from './dev-mails.controller';
import { MailTokens } from './mail-tokens';
import { PostMail, TellPasswordChanged, ResetRequests } from './post-mail';
import { MailWorker, SendMails, CountWaitingMails, WaitingMails, WrittenMails } from './send-mails';
import { SmtpMailSender } from './smtp-mail-sender';

const shared = [MailTokens, PostMail, ResetRequests, TellPasswordChanged, WrittenMails];

/** Mails of the service, as those features see them that write some. */
@Module({ providers: shared, exports: shared })
export class MailsModule {}

/** Mails that a local run shows in place of sending them. */
@Module({ imports: [MailsModule], controllers: [DevMailsController] })
export class DevMailsModule {}

const sender = {
  provide: SmtpMailSender,
  inject: [AccountsConfig],
  useFactory: ({ SMTP_URL, MAIL_FROM, sendsMails }: AccountsConfig) =>
    sendsMails ? new SmtpMailSender(SMTP_URL!, MAIL_FROM) : null,
};

/** The background half. */
@Module({ imports: [MailsModule], providers: [sender, SendMails, WaitingMails, CountWaitingMails, MailWorker] })
export class MailWorkerModule {}
