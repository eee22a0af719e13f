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
  jwksOf,
  newEs256Key,
  type Es256Keys,
  type PublicEs256Key,
} from './keys/es256-keys';
export { IsEs256Keys, IsSecretKeys } from './keys/key-settings';
export { derivedToken, hashOfToken, secretKeysOf, type SecretKey } from './keys/secret-keys';
export { compactJws, Es256Signer, verifiedClaims } from './keys/jws';
