export * from './memory-inbox.ts'
export * from './sign-delivery.ts'
