/** How the routes that are not for everybody know their callers. A payment is not among them: it opens no `/v1` route. */
export function securitySchemes(): Record<string, object> {
  return {
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
}
