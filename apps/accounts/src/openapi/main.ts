import { runWritePart } from '@evenkeel/platform/openapi';
import { accountsPart } from './accounts-part';

runWritePart('accounts', accountsPart, process.env);
