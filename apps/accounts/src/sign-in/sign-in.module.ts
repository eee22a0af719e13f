import { Module } from '@nestjs/common';
import { MailsModule } from '../mails/mails.module';
import { SecurityModule } from '../security/security.module';
import { SessionsModule } from '../sessions/sessions.module';
import { ChangePassword, Login, Register, ReplacePassword } from './sign-in';
import { SignInController } from './sign-in.controller';

/** How people come in. */
@Module({
  imports: [SecurityModule, SessionsModule, MailsModule],
  controllers: [SignInController],
  providers: [Register, Login, ChangePassword, ReplacePassword],
  exports: [ReplacePassword],
})
export class SignInModule {}
