import type { AccountEvent, ApiEvent } from '../src/api/index.ts'

/** A made-up event of the API; the number makes its id, its title and its time. */
export function makeEvent(number: number, overrides: Partial<ApiEvent> = {}): ApiEvent {
  return {
    id: `evt_${number}`,
    providerSlug: 'northwind-ai',
    eventType: 'model_release',
    category: 'models',
    subjectType: 'model',
    subjectKey: `northwind-${number}`,
    title: `Model ${number}`,
    summary: null,
    sourceUrl: `https://northwind-ai.example/models/${number}`,
    evidenceState: 'documented',
    confirmationState: 'confirmed',
    firstObservedAt: new Date(Date.parse('2026-11-01T00:00:00Z') + number * 1_000).toISOString(),
    sourcePublishedAt: '2026-11-01T00:00:00Z',
    sourcePublishedPrecision: 'date',
    ...overrides,
  }
}

export function makeAccountEvent(
  number: number,
  overrides: Partial<AccountEvent> = {},
): AccountEvent {
  return {
    eventRef: `event_${number.toString(16).padStart(48, '0')}`,
    type: 'capability.changed',
    subject: { type: 'capability_profile', ref: `subject_${'1b'.repeat(24)}`, label: 'Mine' },
    occurredAt: '2026-11-01T00:00:00Z',
    title: `Change ${number}`,
    summary: null,
    integrityState: 'active',
    correctionOfEventRef: null,
    immediateEligible: true,
    digestEligible: true,
    data: {},
    ...overrides,
  }
}
