import { ApiProperty } from '@nestjs/swagger';

/** How fresh an answer is: the last two members of every one. */
export class AsOfView {
  @ApiProperty({ format: 'date-time', description: 'everything the gateway had told by then is in these figures' })
  as_of!: string;
  @ApiProperty({ description: 'age of the oldest news that are not, 0 when there are none' })
  lag_seconds!: number;
}
