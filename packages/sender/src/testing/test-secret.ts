/** A signing secret for tests, which protects nothing. */
export const testSecret = 'feed_whsec_for_tests_only'
