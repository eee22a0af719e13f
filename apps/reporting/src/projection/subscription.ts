/** Group at the broker, and `consumer` of inbox and parked events. */
export const SUBSCRIPTION = 'reporting';
