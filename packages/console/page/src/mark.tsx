/** The sign of the page. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" />
      <path d="M7.5 17h4.5l1.5 3h5l1.5-3h4.5M9.700 9.5h12.600l2.200 7.5v5a1.5 1.5 0 0 1-1.5 1.5H9A1.5 1.5 0 0 1 7.5 22v-5z" />
    </svg>
  )
}
