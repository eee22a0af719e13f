import { startDoctor } from '@evenkeel/platform/operations';
import { REPORTING } from './service';

startDoctor({ service: REPORTING }, process.env);
