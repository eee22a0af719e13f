import type { OpenApiDocument } from '@evenkeel/contracts';

/** How the routes that are not for everybody know their callers. A payment is not among them: it opens no `/v1` route. */
const SCHEMES: Readonly<Record<string, object>> = {
  bearerAuth: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Access token of POST /v1/auth/login.',
  },
  adminToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Admin-Token',
    description: 'Token of the operator.',
  },
  webhookSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'Stripe-Signature',
    description: 'HMAC-SHA256 of the payment provider over timestamp and raw body.',
  },
};

/**
 * The schemes that some operation names.
 * @throws Error for a name that is not known: its operations would look open
 */
export function securitySchemes(paths: OpenApiDocument['paths']): Record<string, object> {
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const named = new Set(operations.flatMap(({ security }) => security.flatMap((one) => Object.keys(one))));
  return Object.fromEntries(
    [...named].map((name) => {
      const scheme = SCHEMES[name];
      if (!scheme) throw new Error(`no security scheme is called ${name}`);
      return [name, scheme];
    }),
  );
}
