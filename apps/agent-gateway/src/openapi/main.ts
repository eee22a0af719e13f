import { runWritePart } from '@evenkeel/platform/openapi';
import { gatewayPart } from './gateway-part';

runWritePart('agent-gateway', gatewayPart, process.env);
