import { Module } from '@nestjs/common';
import { MailsModule } from '../mails/mails.module';
import { SignInModule } from '../sign-in/sign-in.module';
import { AskForVerification } from './ask-for-verification';
import { EmailController } from './email.controller';
import { PasswordController } from './password.controller';
import { ResetPassword, VerifyEmail } from './use-link';

/** Pages and routes that links of mails lead to. */
@Module({
  imports: [MailsModule, SignInModule],
  controllers: [EmailController, PasswordController],
  providers: [AskForVerification, ResetPassword, VerifyEmail],
})
export class MailLinksModule {}
