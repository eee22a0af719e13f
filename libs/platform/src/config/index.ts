export { IsBrokers } from './brokers';
export { NotInProduction } from './not-in-production';
export { IsOutboundUrl } from './outbound-url';
export { IsPort, PORT_MAX } from './port';
export { IsRate, scaled, type Rate } from './rate';
export { IsSwitch } from './switch';
export { InvalidConfig } from './invalid-config';
export { loadConfig, type Environment } from './load-config';
export { ServiceConfig } from './service-config';
