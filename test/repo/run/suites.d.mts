/** The suites of `npm run test:slow`, by name. */
export const slowSuites: Record<string, { title: string }>
