/** One setting of a session on which the statements of this kit rely. */
export interface SessionSetting {
  /** Its name in `pg_settings`. */
  name: string
  /** Whether statements work as intended with this value, in the unit of `pg_settings`. */
  isFine: (value: string, statementTimeoutMs: number) => boolean
  /** The value to use instead, as SQL. */
  use: string
  /** What the kit prevents by setting it. */
  prevents: string
}

/**
 * A role, a database or a server may give these settings another default, and an app may set them
 * on the connections of its pool. Where one is not fine, each transaction sets its own value.
 */
export const sessionSettings: readonly SessionSetting[] = [
  {
    name: 'synchronous_commit',
    // The other values say how far standbys must be, which the operator decides.
    isFine: (value) => value !== 'off',
    use: 'on',
    prevents: 'A crash of the server loses events that were answered with 202.',
  },
  {
    name: 'default_transaction_isolation',
    isFine: (value) => value === 'read committed' || value === 'read uncommitted',
    use: `'read committed'`,
    prevents: 'Concurrent deliveries and workers fail with 40001.',
  },
  {
    name: 'DateStyle',
    isFine: (value) => value.startsWith('ISO'),
    use: `'ISO'`,
    prevents: 'Times cannot be read, so every attempt fails.',
  },
  {
    name: 'IntervalStyle',
    isFine: (value) => value === 'postgres',
    use: `'postgres'`,
    prevents: 'Intervals with a sign have another meaning.',
  },
  {
    name: 'standard_conforming_strings',
    isFine: (value) => value === 'on',
    use: 'on',
    prevents: 'A backslash in a text is read as an escape.',
  },
  {
    name: 'array_nulls',
    isFine: (value) => value === 'on',
    use: 'on',
    prevents: 'A missing value in a list is read as a word.',
  },
  {
    name: 'extra_float_digits',
    isFine: (value) => Number(value) >= 0,
    use: '1',
    prevents: 'Times are rounded.',
  },
  {
    name: 'statement_timeout',
    isFine: isAmple,
    use: '0',
    prevents: 'Statements end before the time limit of the kit.',
  },
  {
    name: 'lock_timeout',
    isFine: isAmple,
    use: '0',
    prevents: 'A short wait for another process fails.',
  },
]

function isAmple(value: string, statementTimeoutMs: number): boolean {
  return value === '0' || Number(value) >= statementTimeoutMs
}
