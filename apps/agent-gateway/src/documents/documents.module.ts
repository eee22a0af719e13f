import { Module } from '@nestjs/common';
import { Documents } from './documents';
import { DocumentsController } from './documents.controller';

@Module({ controllers: [DocumentsController], providers: [Documents] })
export class DocumentsModule {}
