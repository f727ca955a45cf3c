export default {
  // They read files from beside their own code, so they must not be bundled.
  serverExternalPackages: [
    '@feed-receiver/console',
    '@feed-receiver/database',
    '@feed-receiver/inbox',
  ],
}
