import { Module } from '@nestjs/common';
import { DashboardController } from './dashboard.controller';
import { DashboardDocument } from './dashboard-document';

@Module({ controllers: [DashboardController], providers: [DashboardDocument] })
export class DashboardModule {}
