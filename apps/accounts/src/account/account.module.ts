import { Module } from '@nestjs/common';
import { SecurityModule } from '../security/security.module';
import { TransferModule } from '../transfer/transfer.module';
import { AccountController } from './account.controller';
import { DeleteAccount, EraseAccounts } from './delete-account';
import { ExportAccount } from './export-account';

/** Taking everything along, and leaving nothing behind. */
@Module({
  imports: [SecurityModule, TransferModule],
  controllers: [AccountController],
  providers: [DeleteAccount, ExportAccount],
  exports: [DeleteAccount],
})
export class AccountModule {}

/** The part of the worker. */
@Module({ providers: [EraseAccounts], exports: [EraseAccounts] })
export class EraseModule {}
