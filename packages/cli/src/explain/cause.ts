/** One thing that went wrong, and what to change. */
export interface Cause {
  code: string
  says: string
  fix: string
}
