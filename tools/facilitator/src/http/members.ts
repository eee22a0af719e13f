import { isAddress, isHex, type Address, type Hex } from 'viem';

const MAX_UINT256 = 2n ** 256n - 1n;

/** Says no to the member of this name; `''` means the object itself. */
export type Refuse = (name: string) => never;

/** Reads members of an unknown JSON value; what is missing or has another form is refused. */
export class Members {
  private readonly values: Record<string, unknown>;

  constructor(
    value: unknown,
    private readonly refuse: Refuse,
    name = '',
  ) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(name);
    this.values = value as Record<string, unknown>;
  }

  get(name: string): unknown {
    return Object.hasOwn(this.values, name) ? this.values[name] : undefined;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  object(name: string): Members {
    return new Members(this.get(name), this.refuse, name);
  }

  text(name: string): string {
    const value = this.get(name);
    return typeof value === 'string' ? value : this.refuse(name);
  }

  positiveInteger(name: string): number {
    const value = this.get(name);
    return Number.isInteger(value) && (value as number) > 0 ? (value as number) : this.refuse(name);
  }

  address(name: string): Address {
    const value = this.text(name);
    return isAddress(value, { strict: false }) ? value : this.refuse(name);
  }

  /** Lower case, so that equal bytes are equal texts. */
  hex(name: string, bytes?: number): Hex {
    const value = this.text(name).toLowerCase();
    if (!isHex(value) || (bytes !== undefined && value.length !== 2 + 2 * bytes)) this.refuse(name);
    return value;
  }

  uint256(name: string): bigint {
    const value = this.text(name);
    if (!/^\d{1,78}$/.test(value) || BigInt(value) > MAX_UINT256) this.refuse(name);
    return BigInt(value);
  }
}
