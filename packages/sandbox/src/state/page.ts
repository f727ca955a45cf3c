/** Which page of a list, the newest first. */
export interface Page {
  /** The id of an earlier page's last one. */
  before?: number | undefined
  /** @default 100 */
  limit?: number | undefined
}
