export {
  ACCESS_LEEWAY_SECONDS,
  ACCESS_TOKEN_TYPE,
  AccessKeys,
  AccessTokens,
  OwnAccessKeys,
  type AccessClaims,
} from './access-tokens';
export { RemoteAccessKeys } from './remote-access-keys';
export { RemoteSignInConfig, RemoteSignInModule } from './remote-sign-in.module';
export { createRevokedSessions, dropRevokedSessions, isRevoked, RememberRevokedSessions } from './revoked-sessions';
export { NeedsDatabase, SignedInOnly } from './signed-in-only';
export {
  bearerToken,
  CurrentUser,
  LiveSessions,
  sessionOf,
  SignedInGuard,
  userOf,
  type SignedIn,
} from './signed-in.guard';
