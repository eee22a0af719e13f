export { EventSource, type SourcedEvent } from './event-source';
export { bearerRoutes, Forger, takenForgeries, type BearerRoute } from './bearer-routes';
export { forgedTokens, type ForgedToken, type ForgersKnowledge, type SigningKey } from './forged-tokens';
export {
  ask,
  jsonRequest,
  serveService,
  type AskOptions,
  type Reply,
  type ServedOptions,
  type ServedService,
} from './serve-service';
export { TokenIssuer } from './token-issuer';
