import type { SeverityLevel } from './task-assessment';

/**
 * Weight of a used-up error budget.
 * @param burnRate failures per allowed failure, 0 or more: 6 and 14.4 are the usual ticket and page levels
 * @returns without unit, 0 to below 0.6
 */
export function budgetTerm(burnRate: number): number {
  return (0.6 * burnRate) / (burnRate + 6);
}

/** What a critical task adds to its severity; nothing at 0 and at 1. */
export function criticalTerm(severity: number): number {
  return 0.8 * severity * (1 - severity);
}

/** @param severity rounded, 0 to 1: medium from 0.25, high from 0.5 */
export function severityLevel(severity: number): SeverityLevel {
  return severity >= 0.5 ? 'high' : severity >= 0.25 ? 'medium' : 'low';
}
