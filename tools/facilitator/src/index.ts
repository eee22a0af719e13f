export { type ControlCommand, type SubmittedAuthorization, type Target } from './control/control-command';
export type { Ledger, Settlement } from './control/ledger';
export type { PaymentCalls } from './control/call-log';
export { type Loss, type ModeCommand } from './control/mode-switch';
export { type Asset } from './payments/payment-call';
export { startFacilitator, type FacilitatorOptions, type RunningFacilitator } from './start-facilitator';
