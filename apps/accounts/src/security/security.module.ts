import { Global, Module } from '@nestjs/common';
import { AccountsConfig } from '../accounts.config';
import { BreachedPasswords, CommonPasswords, PasswordFile } from './breached-passwords';
import { Lockout } from './lockout';
import { Passwords } from './passwords';
import { SecurityEvents } from './security-events';

const breachedPasswords = {
  provide: BreachedPasswords,
  inject: [AccountsConfig],
  useFactory: ({ BREACH_LIST_FILE: file, BREACH_THRESHOLD: threshold }: AccountsConfig) =>
    file === undefined ? new CommonPasswords() : PasswordFile.open(file, threshold),
};

/** Passwords, tokens and limits of sign-in. */
@Global()
@Module({
  providers: [breachedPasswords, Passwords, Lockout, SecurityEvents],
  exports: [Passwords, Lockout, SecurityEvents],
})
export class SecurityModule {}
