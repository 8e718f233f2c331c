/** One entry of a topic's log; `body` is JSON text. */
export type LogEntry = { seq: number; body: string };

/** Entries after a position, oldest first, and the topic's newest and newest pruned number; 0 if there is none. */
export type LogPage = { entries: LogEntry[]; lastSeq: number; prunedSeq: number };

/** Entries that one transaction appended to a topic; none if the topic was pruned and must be read again. */
export type Appended = { topic: string; entries: LogEntry[] };
