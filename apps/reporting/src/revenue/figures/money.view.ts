import { ApiProperty } from '@nestjs/swagger';

/** An amount as every answer shows it: see `usdAmount`. */
export class Money {
  @ApiProperty({ description: 'rounded to cents, half away from zero', example: 45.83 }) usd!: number;
  @ApiProperty({ description: 'exact, six decimals', pattern: '^-?\\d+\\.\\d{6}$', example: '45.830000' })
  usd_exact!: string;
}
