import { startDoctor } from '@evenkeel/platform/doctor';
import { REPORTING } from './service';

startDoctor({ service: REPORTING }, process.env);
