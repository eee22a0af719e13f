import { ApiProperty } from '@nestjs/swagger';

/** What operators are told in place of figures: the error shape of every surface. */
export class OperatorRefusalView {
  @ApiProperty({ description: 'code for programs; never renamed' }) error!: string;
  @ApiProperty() message!: string;
  @ApiProperty({ required: false, type: Object })
  details?: Record<string, unknown>;
}
