import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A request to the facilitator without its authorization; immutable, kept once for all payments that used it. */
@Entity({ name: 'facilitator_wordings' })
export class PaymentRequirementsRow {
  @PrimaryGeneratedColumn('increment') id!: number;
  @Column('text') digest!: string;
  @Column('smallint') version!: 1 | 2;
  @Column('text') head!: string;
  @Column('text') tail!: string;
}
