export { ProcessCrash } from './crash-points';
export { InvalidConfig, loadConfig, type Environment } from './load-config';
export { redacted, Secret, secretSettings } from './secrets';
export { ServiceConfig } from './service-config';
export {
  IsBrokers,
  IsCrashPoint,
  IsDatabaseUrl,
  IsOutboundUrl,
  IsPort,
  IsRate,
  IsSwitch,
  NotInProduction,
  scaled,
  type Rate,
} from './settings';
