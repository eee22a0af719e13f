import { requestValidator } from '@evenkeel/agent-gateway';
import { PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';
import { DomainError } from '@evenkeel/kernel';
import { parseJson, ValidationFailed, type RequestValidator } from '@evenkeel/platform/validation';
import { median } from '../compare/compare';
import { hostileBodies, type HostileBody } from './hostile-bodies';

export interface BodyTiming {
  name: string;
  bytes: number;
  /** From bytes to the verdict with its issues, at the endpoint where it takes longest. */
  ms: number;
  /** `JSON.parse` of the same text. */
  jsonMs: number;
  /** Of the two, within each round. */
  jsonRatio: number;
}

const WARM_UPS = 30;
const ROUNDS = 9;
const TURNS = 4;

/** What a gateway does with an unpaid body, and with one that is good. CPU time; about 15 s. */
export function benchBodies(): BodyTiming[] {
  const timings = new Map<string, BodyTiming>();
  for (const endpoint of PAID_ENDPOINTS) {
    const validator = requestValidator(endpoint);
    for (const body of hostileBodies(endpoint)) {
      const timing = timed(endpoint, validator, body);
      if (timing.ms > (timings.get(body.name)?.ms ?? 0)) timings.set(body.name, timing);
    }
  }
  return [...timings.values()].sort((one, other) => other.ms - one.ms);
}

function timed({ path }: PaidEndpoint, validator: RequestValidator, { name, text }: HostileBody): BodyTiming {
  const bytes = Buffer.from(text);
  if (bytes.length > 131_072) throw new Error(`${path}: the body with ${name} is over the cap`);
  const validate = (): unknown => validated(validator, bytes);
  const parse = (): unknown => JSON.parse(text);
  for (let turn = 0; turn < WARM_UPS; turn++) {
    validate();
    parse();
  }
  const rounds = Array.from({ length: ROUNDS }, () => ({ ms: cpuMs(validate), jsonMs: cpuMs(parse) }));
  return {
    name,
    bytes: bytes.length,
    ms: median(rounds.map(({ ms }) => ms)),
    jsonMs: median(rounds.map(({ jsonMs }) => jsonMs)),
    jsonRatio: median(rounds.map(({ ms, jsonMs }) => ms / jsonMs)),
  };
}

/** What the engine would get, or the text of the refusal. */
function validated(validator: RequestValidator, bytes: Buffer): unknown {
  try {
    const value = parseJson(bytes);
    const verdict = validator.check(value);
    if (!verdict.valid) throw new ValidationFailed(verdict.issues);
    return [validator.input(value), validator.warnings(value)];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return JSON.stringify([error.message, error.details]);
  }
}

function cpuMs(work: () => unknown): number {
  const start = process.cpuUsage();
  for (let turn = 0; turn < TURNS; turn++) work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000 / TURNS;
}
