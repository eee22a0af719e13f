import { Module } from '@nestjs/common';
import { Documents } from './documents';
import { DOCUMENT_CONTROLLERS, PagesController } from './documents.controller';

@Module({ controllers: [...DOCUMENT_CONTROLLERS, PagesController], providers: [Documents] })
export class DiscoveryModule {}
