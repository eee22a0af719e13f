import { Module } from '@nestjs/common';
import { TransferModule } from '../transfer/transfer.module';
import { AccountController } from './account.controller';
import { DeleteAccount } from './delete-account';
import { ExportAccount } from './export-account';

/** Taking everything along, and leaving nothing behind. */
@Module({
  imports: [TransferModule],
  controllers: [AccountController],
  providers: [DeleteAccount, ExportAccount],
})
export class AccountModule {}
