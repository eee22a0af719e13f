export {
  es256KeyOfPem,
  es256KeysOf,
  es256KeysOfJwks,
  jwksOf,
  newEs256Key,
  type Es256Keys,
  type PublicEs256Key,
} from './es256-keys';
export { IsEs256Keys, IsSecretKeys } from './key-settings';
export { derivedToken, hashOfToken, secretKeysOf, type SecretKey } from './secret-keys';
export { compactJws, Es256Signer, verifiedClaims } from './jws';
