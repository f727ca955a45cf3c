/** A delivery from a file. */
export interface CapturedDelivery {
  /** The body to send, or as received. */
  body: Uint8Array
  /** By lower-case name; empty if the file contains only the body. */
  headers: Record<string, string>
  /** When it was received, in ISO 8601, if the file says so. */
  receivedAt: string | null
  /** Whether the file had the body as JSON and not as text, so that its exact bytes are lost. */
  isRewritten: boolean
}

export interface NamedSecret {
  /** Its origin, such as the name of the variable. */
  name: string
  value: string
}
