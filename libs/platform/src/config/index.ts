export { BrokerAccessConfig, BrokerConfig, type BrokerAccess } from './broker-config';
export { keptSecret } from './kept-secret';
export { fromFiles, InvalidConfig, loadConfig, plainTextWarnings, type Environment } from './load-config';
export { redacted, Secret, secretSettings } from './secrets';
export { ProcessCrash, ServiceConfig } from './service-config';
export { settingsOf } from './settings-of';
export {
  IsBrokers,
  IsCrashPoint,
  IsDatabaseUrl,
  IsInternalUrl,
  isLocalHost,
  IsOutboundUrl,
  IsPort,
  IsRate,
  IsSwitch,
  scaled,
  type Rate,
} from './settings';
export {
  es256KeyOfPem,
  es256KeysOf,
  IsEs256Keys,
  IsSecretKeys,
  newEs256Key,
  secretKeysOf,
  type Es256Keys,
  type PublicEs256Key,
  type SecretKey,
} from './keys/named-keys';
