import { runWritePart } from '@evenkeel/platform/openapi';
import { billingPart } from './billing-part';

runWritePart('billing', billingPart, process.env);
