import type { AppName } from '@evenkeel/contracts';
import type { TestDatabase } from '@evenkeel/platform/testing';
import { freePort } from '@evenkeel/services/free-port';
import { Program } from './programs.fixture';

/** Of the settings that every service has, by their names, each in all its parts. */
export const COMMON_CANARIES = {
  DATABASE_URL: ['canary-option-J5yHr8'],
  REDIS_URL: ['canary-redis-Xk4vBz9p'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['canary-traces-4Tn7Wq'],
  KAFKA_SASL_PASSWORD: ['canary-kafka-2Fd8Lm'],
};

/** The settings with these canaries: an option that a client of PostgreSQL may be given, and services that are not there. */
export async function commonSettings({ url }: TestDatabase) {
  const [option, redis, traces, kafka] = Object.values(COMMON_CANARIES).flat();
  return {
    DATABASE_URL: `${url}?application_name=${option}`,
    REDIS_URL: `redis://:${redis}@127.0.0.1:${await freePort()}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}/${traces}`,
    KAFKA_SASL_PASSWORD: kafka!,
  };
}

/** Programs whose output is searched for secrets. */
export class WatchedPrograms {
  readonly secrets = new Set<string>();
  private readonly programs: Program[] = [];

  /** @param parts of texts that nothing may have beside the secrets */
  constructor(private readonly parts: readonly string[] = []) {}

  add(program: Program): Program {
    this.programs.push(program);
    return program;
  }

  service(name: AppName, entry: string, env: Record<string, string>): Program {
    return this.add(Program.service(`apps/${name}/src/${entry}.ts`, env));
  }

  /** The secrets that a text has: as they are, escaped for JSON, or in an address; and the token of any bearer. */
  leaksIn(text: string): string[] {
    const forms = [...this.secrets].flatMap((one) => [one, JSON.stringify(one).slice(1, -1), encodeURIComponent(one)]);
    return [...new Set([...forms, 'Bearer ey', ...this.parts])].filter((form) => form !== '' && text.includes(form));
  }

  expectNoLeak(): void {
    for (const { output } of this.programs) expect(this.leaksIn(output)).toEqual([]);
  }
}
