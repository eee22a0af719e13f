export { EventSource } from './event-source';
export { bearerRoutes, Forger, takenForgeries, type BearerRoute } from './bearer-routes';
export { forgedTokens, type ForgedToken } from './forged-tokens';
export { ask, jsonRequest, serveService, type AskOptions, type Reply, type ServedService } from './serve-service';
export { TokenIssuer } from './token-issuer';
