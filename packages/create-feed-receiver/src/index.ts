export { main } from './main.ts'
export type { Context } from './context.ts'
