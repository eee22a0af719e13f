export type { ControlCommand } from './control';
export type { Ledger } from './ledger';
export type { ModeCommand } from './modes';
export { startFacilitator, type RunningFacilitator } from './start-facilitator';
