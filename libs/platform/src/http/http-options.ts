import type { ServiceConfig } from '../config';
import type { Logger } from '../observability';

export interface HttpOptions {
  logger: Logger;
  /** Cap on the bytes of a body as they arrive, before any inflation. */
  maxBodyBytes: number;
  /** Base of the `type` of a problem document. */
  publicBaseUrl: string;
  /** Origins that may call `/v1`; every other surface is open to all. Default none. */
  corsOrigins?: readonly string[];
  /** Proxies in front that are ours; the caller's address is what the farthest of them saw. Default 0. */
  trustedProxyHops?: number;
  /** One line per request. Default true. */
  requestLog?: boolean;
}

/** As the settings of a service say. */
export function httpOptionsOf(config: ServiceConfig, logger: Logger): HttpOptions {
  return {
    logger,
    maxBodyBytes: config.MAX_BODY_BYTES,
    publicBaseUrl: config.baseUrl,
    corsOrigins: config.corsOrigins,
    trustedProxyHops: config.TRUSTED_PROXY_HOPS,
  };
}
