import { ACCOUNTS } from '@evenkeel/accounts';
import { AGENT_GATEWAY } from '@evenkeel/agent-gateway';
import { BILLING } from '@evenkeel/billing';
import { loadConfig, type ServiceConfig } from '@evenkeel/platform/config';
import { openTransport } from '@evenkeel/platform/messaging';
import { appModule, workerModule, type Service } from '@evenkeel/platform/service';
import { REPORTING } from '@evenkeel/reporting';
import { Logger, type DynamicModule } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { CALLS } from './flows';

/** Classes that call what a setting names; each process of a service that has one of them may call. */
const CALLERS: Readonly<Record<string, readonly string[]>> = {
  DATABASE_URL: ['DataSource'],
  REDIS_URL: ['SharedWindows'],
  KAFKA_BROKERS: ['RunningRelay', 'FollowStream'],
  FACILITATOR_URL: ['HttpFacilitator'],
  FACILITATOR_LEDGER_URL: ['FacilitatorLedger'],
  X402_RPC_URL: ['RpcChain', 'RpcTransferLog'],
  STRIPE_API_BASE: ['StripeApi'],
  SMTP_URL: ['SmtpMailSender'],
  JWKS_URL: ['RemoteAccessKeys'],
};
/** It is opened before any module is made, by every program. */
const OF_PROGRAMS = 'OTEL_EXPORTER_OTLP_ENDPOINT';

const KEYS = `form:${Buffer.alloc(32, 7).toString('base64')}`;
const NOBODY = 'http://127.0.0.1:1';
/** All that a service can call, so that nothing is left out for want of a setting. */
const ENVIRONMENT = {
  // Of servers that are asked at once; no module is begun, so no table is.
  DATABASE_URL: process.env.TEST_DATABASE_URL,
  REDIS_URL: process.env.TEST_REDIS_URL,
  ...{ PUBLIC_BASE_URL: NOBODY, ANSWER_KEYS: KEYS, RECEIPT_KEYS: KEYS, JWT_KEYS: KEYS, REFRESH_TOKEN_KEYS: KEYS },
  ...{ X402_PAY_TO: `0x${'ab'.repeat(20)}`, FACILITATOR_URL: NOBODY, FACILITATOR_LEDGER_URL: NOBODY },
  ...{ X402_RPC_URL: NOBODY, SMTP_URL: 'smtp://127.0.0.1:1', JWKS_URL: NOBODY },
  ...{ STRIPE_SECRET_KEY: 'sk_test_form', STRIPE_API_BASE: NOBODY },
};

/** The classes of all that a module provides: made, and never begun. */
async function classesOf(module: DynamicModule): Promise<Set<string>> {
  const app = await NestFactory.create(module, new FastifyAdapter(), { logger: false, abortOnError: false });
  try {
    const wrappers = [...app.get(ModulesContainer).values()].flatMap(({ providers }) => [...providers.values()]);
    const made = wrappers.map(({ instance }): unknown => instance);
    return new Set(made.flatMap((one) => (typeof one === 'object' && one !== null ? [one.constructor.name] : [])));
  } finally {
    await app.close();
  }
}

/** Settings whose addresses each half of a service calls. */
async function calledBy<Config extends ServiceConfig>(service: Service<Config>): Promise<Record<string, string[]>> {
  const config = loadConfig(service.config, ENVIRONMENT);
  const transport = openTransport({ clientId: service.name, log: new Logger(service.name) });
  try {
    const halves = {
      http: () => appModule(service, config),
      worker: () => workerModule(service, config, transport),
    };
    const found: [string, string[]][] = [];
    for (const [half, make] of Object.entries(halves)) {
      const classes = await classesOf(make());
      const called = Object.keys(CALLERS).filter((setting) => CALLERS[setting]!.some((one) => classes.has(one)));
      found.push([half, called]);
    }
    return Object.fromEntries(found);
  } finally {
    await transport.close();
  }
}

it('CALLS says of each setting who calls what it names: the halves of a service that have the class for it', async () => {
  const halves: Record<string, Set<string>> = Object.fromEntries(Object.keys(CALLERS).map((name) => [name, new Set()]));
  for (const service of [AGENT_GATEWAY, ACCOUNTS, BILLING, REPORTING] as Service<ServiceConfig>[]) {
    for (const [half, settings] of Object.entries(await calledBy(service))) {
      for (const setting of settings) halves[setting]!.add(half);
    }
  }
  const { [OF_PROGRAMS]: ofPrograms, ...calls } = CALLS;
  expect(ofPrograms!.by).toEqual(['http', 'worker']);
  const claimed = Object.entries(calls).map(([name, { by }]) => [
    name,
    by.filter((component) => ['http', 'worker'].includes(component)),
  ]);
  const real = Object.entries(halves).map(([name, found]) => [name, [...found].sort()]);
  expect(Object.fromEntries(real)).toEqual(Object.fromEntries(claimed));
}, 120_000);
