import { Module } from '@nestjs/common';
import { Documents } from './documents';
import { DocumentsController } from './documents.controller';
import { ReferenceController } from './reference.controller';

@Module({ controllers: [DocumentsController, ReferenceController], providers: [Documents] })
export class DiscoveryModule {}
