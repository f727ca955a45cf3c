import type { ApiError } from './api.ts'

/** Says that something could not be shown, above what was known before. */
export function Problem({ error }: { error: ApiError | null }) {
  if (!error) return null
  return (
    <p class="banner" role="alert">
      {error.message}
    </p>
  )
}
