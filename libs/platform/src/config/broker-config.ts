import { readFileSync } from 'node:fs';
import { IsIn, IsOptional, IsString, ValidateBy, ValidateIf } from 'class-validator';
import { Secret } from './secrets';
import { IsBrokers, IsSwitch } from './settings';

const SASL_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

/** How the brokers know who connects. */
interface BrokerLogin {
  mechanism: (typeof SASL_MECHANISMS)[number];
  username: string;
  password: string;
}

/** How a process reaches Kafka. */
export interface BrokerAccess {
  /** `host:port`, any of the cluster. */
  brokers: readonly string[];
  /** Encrypted; with `ca` only by brokers whose certificate that authority has signed (PEM). */
  tls?: { ca?: string };
  login?: BrokerLogin;
}

const hasLogin = ({ KAFKA_SASL_MECHANISM }: BrokerAccessConfig): boolean => KAFKA_SASL_MECHANISM !== undefined;

/** `plain` sends the password as it is. */
function EncryptedWhenPlain(): PropertyDecorator {
  return ValidateBy({
    name: 'encryptedWhenPlain',
    validator: {
      validate: (value, args) => value !== 'plain' || (args?.object as BrokerAccessConfig).KAFKA_TLS,
      defaultMessage: () => '$property must not be plain without KAFKA_TLS=on: the password would be sent readable',
    },
  });
}

/** Settings of the connection to Kafka; the class of a process says whether brokers are required. */
export abstract class BrokerAccessConfig {
  abstract KAFKA_BROKERS?: string[];
  @IsSwitch() KAFKA_TLS = false;
  /** PEM of the authority of the brokers, where the system does not know it. */
  @IsOptional() @IsString() KAFKA_CA_FILE?: string;
  @IsOptional() @IsIn(SASL_MECHANISMS) @EncryptedWhenPlain() KAFKA_SASL_MECHANISM?: BrokerLogin['mechanism'];
  @ValidateIf(hasLogin) @IsString() KAFKA_SASL_USERNAME?: string;
  @Secret() @ValidateIf(hasLogin) @IsString() KAFKA_SASL_PASSWORD?: string;

  /** Undefined without brokers. @throws Error when the file of the authority cannot be read */
  get kafka(): BrokerAccess | undefined {
    if (!this.KAFKA_BROKERS) return undefined;
    const { KAFKA_CA_FILE: file, KAFKA_SASL_MECHANISM: mechanism } = this;
    return {
      brokers: this.KAFKA_BROKERS,
      ...(this.KAFKA_TLS && { tls: { ...(file !== undefined && { ca: readFileSync(file, 'utf8') }) } }),
      ...(mechanism && {
        login: { mechanism, username: this.KAFKA_SASL_USERNAME!, password: this.KAFKA_SASL_PASSWORD! },
      }),
    };
  }
}

/** Of a process that can do without brokers. */
export abstract class BrokerConfig extends BrokerAccessConfig {
  /** Without it events stay within this process. */
  @IsOptional() @IsBrokers() KAFKA_BROKERS?: string[];
}
