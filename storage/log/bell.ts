/**
 * Says "there is more" for a topic and carries no data. A ring may come twice or without need, never too early (the
 * entry is committed) and, for a listener that listened before it read, never not at all.
 */
export type Bell = {
  /** Rings `topics` for the listeners of this process; engines that span processes ring the others at commit. */
  ring(topics: Iterable<string>): void;
  /**
   * Calls `heard` at each ring of `topic` until the returned function is called. What `heard` throws is nobody else's:
   * it becomes the process's uncaught exception.
   */
  listen(topic: string, heard: () => void): () => void;
};
