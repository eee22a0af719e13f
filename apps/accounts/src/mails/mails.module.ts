import { Module } from '@nestjs/common';
import { DevMailsController } from './dev-mails.controller';
import { MailTokens } from './mail-tokens';
import { PostMail, ResetRequests } from './post-mail';
import { MailWorker, SendMails, WrittenMails } from './send-mails';

const shared = [MailTokens, PostMail, ResetRequests, WrittenMails];

/** Mails of the service, as those features see them that write some; a local run shows them in place of sending them. */
@Module({ controllers: [DevMailsController], providers: shared, exports: shared })
export class MailsModule {}

/** The background half. */
@Module({ providers: [...shared, SendMails, MailWorker] })
export class MailWorkerModule {}
