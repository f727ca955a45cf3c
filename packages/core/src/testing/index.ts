export { memoryInbox } from './memory-inbox.ts'
export type { MemoryInbox, QuarantinedDelivery } from './memory-inbox.ts'
export { signDelivery } from './sign-delivery.ts'
export type { SignDeliveryOptions, SignedDelivery } from './sign-delivery.ts'
