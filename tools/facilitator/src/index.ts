export type { ControlCommand } from './control/control';
export type { Ledger } from './control/ledger';
export type { ModeCommand } from './control/mode-switch';
export { startFacilitator, type RunningFacilitator } from './start-facilitator';
