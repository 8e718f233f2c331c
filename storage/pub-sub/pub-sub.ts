/**
 * Notifies subscribers of a topic that there is something new; a notification carries no data. It may be repeated or
 * unneeded, but it never comes before the commit that it is about. A subscriber that subscribes before it reads misses
 * none.
 */
export type PubSub = {
  /** Notifies the subscribers in this process. With PostgreSQL the commit itself notifies the other processes. */
  publish(topics: Iterable<string>): void;
  /**
   * Calls `listener` each time `topic` is published, until the returned function is called. An error that `listener`
   * throws becomes an uncaught exception of the process.
   */
  subscribe(topic: string, listener: () => void): () => void;
};
