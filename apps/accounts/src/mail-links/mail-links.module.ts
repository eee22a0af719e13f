import { Module } from '@nestjs/common';
import { MailsModule } from '../mails/mails.module';
import { SecurityModule } from '../security/security.module';
import { SessionsModule } from '../sessions/sessions.module';
import { AskForVerification } from './ask-for-verification';
import { EmailController } from './email.controller';
import { PasswordController } from './password.controller';
import { ResetPassword } from './reset-password';
import { VerifyEmail } from './verify-email';

/** Pages and routes that links of mails lead to. */
@Module({
  imports: [SecurityModule, SessionsModule, MailsModule],
  controllers: [EmailController, PasswordController],
  providers: [AskForVerification, ResetPassword, VerifyEmail],
})
export class MailLinksModule {}
