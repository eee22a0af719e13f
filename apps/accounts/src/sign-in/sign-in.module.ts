import { Module } from '@nestjs/common';
import { MailsModule } from '../mails/mails.module';
import { SecurityModule } from '../security/security.module';
import { SessionsModule } from '../sessions/sessions.module';
import { ChangePassword } from './change-password';
import { Login } from './login';
import { Register } from './register';
import { SignInController } from './sign-in.controller';

/** How people come in. */
@Module({
  imports: [SecurityModule, SessionsModule, MailsModule],
  controllers: [SignInController],
  providers: [Register, Login, ChangePassword],
})
export class SignInModule {}
