import { runWritePart } from '@evenkeel/platform/openapi';
import { reportingPart } from './reporting-part';

runWritePart('reporting', reportingPart, process.env);
