export * from '../event/api-event.ts'
export * from './answers.ts'
export * from './lifecycle.ts'
export * from './to-feed-event.ts'
