import { CHAINS, CREDIT_FACE_MICROS, type Chain } from '@evenkeel/contracts';
import {
  type Es256Keys,
  es256KeysOf,
  IsCrashPoint,
  IsEs256Keys,
  IsOutboundUrl,
  IsRate,
  IsSecretKeys,
  type Rate,
  scaled,
  Secret,
  type SecretKey,
  secretKeysOf,
  ServiceConfig,
} from '@evenkeel/platform/config';
import { RELAY_CRASH_POINTS, type RelayCrashPoint } from '@evenkeel/platform/messaging';
import { Type } from 'class-transformer';
import { IsEmail, IsIn, IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { cdpKeyOf, type CdpKey } from './keys';
import { PaymentTerms } from './payment-terms';
import { FitsAsset, GoesWith, IsAddress, IsCdpSecret, IsCostList, IsRpcUrl, RequiredInProduction } from './rules';

/** The named steps of a call between which a process may die. */
export const CRASH_POINTS = ['verified', 'claimed', 'settle_answered', 'before_commit', 'after_commit'] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number] | RelayCrashPoint;

const NETWORKS = CHAINS.map(({ caip2 }) => caip2);

/** Everything the agent gateway reads from the environment. Names carry their unit. */
export class AgentGatewayConfig extends ServiceConfig {
  @IsRate() RATE_AGENT_ADDRESS: Rate = { limit: 600, windowSeconds: 60 };
  @IsRate() RATE_AGENT_UNPROVED: Rate = { limit: 600, windowSeconds: 60 };
  @IsRate() RATE_AGENT_WALLET: Rate = { limit: 600, windowSeconds: 60 };
  @IsRate() RATE_DISCOVERY: Rate = { limit: 600, windowSeconds: 60 };

  /** Where buyers and finders of faults may write to; listing sites and `security.txt` show it. */
  @IsOptional() @IsEmail() CONTACT_EMAIL?: string;

  /** Comma-separated names, besides that of the base URL, under which `/mcp` may be called: of a proxy that sends its own. */
  @IsString() MCP_ALLOWED_HOSTS = '';
  /** Comma-separated origins of web pages, besides our own and `CORS_ORIGINS`, that may call `/mcp`. */
  @Matches(/^(https?:\/\/[a-z0-9.:[\]-]+(,(?=.)|$))*$/, {
    message: '$property must be a list of origins such as https://console.example, comma-separated',
  })
  MCP_ALLOWED_ORIGINS = '';

  /** Without it every payment attempt is 502. */
  @Secret() @IsOptional() @IsOutboundUrl() FACILITATOR_URL?: string;
  @GoesWith('FACILITATOR_CDP_KEY_SECRET') FACILITATOR_CDP_KEY_ID?: string;
  @Secret() @IsCdpSecret() @GoesWith('FACILITATOR_CDP_KEY_ID') FACILITATOR_CDP_KEY_SECRET?: string;
  @Type(() => Number) @IsInt() @Min(100) @Max(60_000) FACILITATOR_VERIFY_TIMEOUT_MS = 2_000;
  @Type(() => Number) @IsInt() @Min(100) @Max(60_000) FACILITATOR_SETTLE_TIMEOUT_MS = 10_000;

  @IsAddress() X402_PAY_TO!: string;
  @IsIn(NETWORKS) X402_NETWORK = 'eip155:8453';
  @IsOptional() @IsAddress() X402_ASSET?: string;
  @FitsAsset() X402_ASSET_NAME?: string;
  @IsOptional() @IsString() X402_ASSET_VERSION?: string;
  @IsIn(['short', 'caip2']) X402_BODY_NETWORK: 'short' | 'caip2' = 'short';
  @Type(() => Number) @IsInt() @Min(30) @Max(86_400) X402_MAX_TIMEOUT_SECONDS = 300;
  /** Chain access, or the word `none`. */
  @Secret()
  @IsRpcUrl()
  @RequiredInProduction(
    'without chain access payments of unknown outcome stay with the operator; say "none" to accept that',
  )
  X402_RPC_URL?: string;

  /** How often the worker compares the ledger with what others keep. */
  @Type(() => Number) @IsInt() @Min(1) @Max(86_400) RECONCILE_EVERY_SECONDS = 3_600;
  /** How far back it looks each time: a difference is reported until it is this old. */
  @Type(() => Number) @IsInt() @Min(1) @Max(8_784) RECONCILE_LOOK_BACK_HOURS = 72;
  /** The facilitator's own list of settlements, where it has one. */
  @Secret() @IsOptional() @IsOutboundUrl() FACILITATOR_LEDGER_URL?: string;

  @Type(() => Number) @IsInt() @Min(1_000) @Max(60_000) PAID_ANSWER_BUDGET_MS = 5_000;
  /** Paid calls at once in a process, and connections to the facilitator. */
  @Type(() => Number) @IsInt() @Min(16) @Max(10_000) PAID_CALLS_MAX = 512;
  @Type(() => Number) @IsInt() @Min(0) UNSETTLED_SERVED_MAX = 200;
  @IsIn(['identical', 'keyed', 'off']) PAYMENT_REPLAY: 'identical' | 'keyed' | 'off' = 'identical';
  @Type(() => Number) @IsInt() @Min(1) @Max(3_600) PAYMENT_REPLAY_TTL_SECONDS = 3_600;
  /** `kid:base64` of 32 bytes, comma-separated; the first encrypts. */
  @Secret() @IsSecretKeys() ANSWER_KEYS!: string;
  /** `kid:base64` of 32 bytes, comma-separated; the first signs, all are published. `kid:x.y` is published only. */
  @Secret() @IsEs256Keys() RECEIPT_KEYS!: string;
  /** At least the highest price, so that any credit pays any call. */
  @Type(() => Number) @IsInt() @Min(CREDIT_FACE_MICROS) CREDIT_FACE_MICROS = CREDIT_FACE_MICROS;
  /** 0: credits do not expire. */
  @Type(() => Number) @IsInt() @Min(0) @Max(36_500) CREDIT_TTL_DAYS = 0;
  /** Micro-USD for each call, or a list `path=micros`. */
  @IsCostList() COST_MICROS = '400';
  @Type(() => Number) @IsInt() @Min(0) COST_SETTLEMENT_MICROS = 0;
  /** For tests, as `agent-gateway:<step>`: the process kills itself at this step. */
  @IsCrashPoint('agent-gateway', [...CRASH_POINTS, ...RELAY_CRASH_POINTS]) CRASH_AT?: CrashPoint;

  get mcpHosts(): string[] {
    return this.MCP_ALLOWED_HOSTS.split(',').filter(Boolean);
  }

  get mcpOrigins(): string[] {
    return this.MCP_ALLOWED_ORIGINS.split(',').filter(Boolean);
  }

  get rates(): Record<'agentAddress' | 'agentUnproved' | 'agentWallet' | 'discovery', Rate> {
    return {
      agentAddress: scaled(this.RATE_AGENT_ADDRESS, this.RATE_LIMIT_SCALE),
      agentUnproved: scaled(this.RATE_AGENT_UNPROVED, this.RATE_LIMIT_SCALE),
      agentWallet: scaled(this.RATE_AGENT_WALLET, this.RATE_LIMIT_SCALE),
      discovery: scaled(this.RATE_DISCOVERY, this.RATE_LIMIT_SCALE),
    };
  }

  get rpcUrl(): string | null {
    return this.X402_RPC_URL === undefined || this.X402_RPC_URL === 'none' ? null : this.X402_RPC_URL;
  }

  get answerKeys(): readonly [SecretKey, ...SecretKey[]] {
    return secretKeysOf(this.ANSWER_KEYS);
  }

  get receiptKeys(): Es256Keys {
    return es256KeysOf(this.RECEIPT_KEYS);
  }

  get cdpKey(): CdpKey | null {
    const { FACILITATOR_CDP_KEY_ID: id, FACILITATOR_CDP_KEY_SECRET: secret } = this;
    return id === undefined || secret === undefined ? null : cdpKeyOf(id, secret);
  }

  /** Attributed cost of one paid call, settlement included (D-117). */
  costMicros(path: string): number {
    const single = Number(this.COST_MICROS);
    const listed = this.COST_MICROS.split(',').find((entry) => entry.startsWith(`${path}=`));
    const perCall = Number.isNaN(single) ? Number(listed?.split('=')[1] ?? 0) : single;
    return perCall + this.COST_SETTLEMENT_MICROS;
  }

  get paymentTerms(): PaymentTerms {
    const chain = CHAINS.find(({ caip2 }) => caip2 === this.X402_NETWORK) as Chain;
    return {
      baseUrl: this.baseUrl,
      chain,
      asset: this.X402_ASSET ?? chain.usdc.address,
      assetName: this.X402_ASSET_NAME ?? chain.usdc.name,
      assetVersion: this.X402_ASSET_VERSION ?? chain.usdc.version,
      payTo: this.X402_PAY_TO,
      maxTimeoutSeconds: this.X402_MAX_TIMEOUT_SECONDS,
      bodyNetwork: this.X402_BODY_NETWORK,
    };
  }
}
