import { Module } from '@nestjs/common';
import { Documents } from './documents';
import { DocumentsController, FilesController } from './documents.controller';
import { ReferenceController } from './reference.controller';

@Module({ controllers: [DocumentsController, FilesController, ReferenceController], providers: [Documents] })
export class DiscoveryModule {}
