export type { ControlCommand, SubmittedAuthorization } from './control/control-command';
export type { Ledger, Settlement } from './control/ledger';
export type { PaymentCalls } from './control/call-log';
export type { Loss, ModeCommand } from './control/mode-rule';
export type { Target } from './control/target';
export type { Asset } from './payments/offer';
export { startFacilitator, type FacilitatorOptions, type RunningFacilitator } from './start-facilitator';
