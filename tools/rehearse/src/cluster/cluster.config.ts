import { IsPort } from '@evenkeel/platform/config';
import { IsNotIn, IsOptional, IsString } from 'class-validator';

/** Everything the commands of the cluster read from the environment. */
export class ClusterConfig {
  @IsOptional()
  @IsNotIn(['production'], { message: 'NODE_ENV must not be production: this cluster moves no real money' })
  NODE_ENV?: string;
  /** Of the edge, on 127.0.0.1. */
  @IsPort() PORT = 8080;
  /** Where the state and the output of a running cluster are. */
  @IsString() DATA_DIR = '.data';
}
