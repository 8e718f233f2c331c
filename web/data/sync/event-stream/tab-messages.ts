import type { NumberedChange } from "#contract/changes.ts";
import type { NumberedRunEvent } from "#contract/run-events.ts";
import type { ConnectionState } from "./event-stream.ts";

/** The messages between the tabs of a browser and the hub, which owns their one event stream. */

export type ToHub =
  /** A tab's first message. `lock`: a lock that the tab holds until it is closed, if the browser has locks. */
  | { type: "join"; lock: string | undefined }
  /** The runs that the tab shows. */
  | { type: "watch"; runs: WatchedRun[] }
  /** The response to `headers-request`; `null` if the tab could not get any. */
  | { type: "headers"; requestId: number; headers: Record<string, string> | null }
  /** The network is back or the tab is visible again: see `EventStream.checkNow`. */
  | { type: "check" }
  /** Another user is signed in. */
  | { type: "person-changed" }
  | { type: "alive" }
  | { type: "leave" };

export type FromHub =
  /**
   * From now on the tab receives every change; rows that it read before may be stale. The stream delivers the events of
   * runs that are started with `streamId`.
   */
  | { type: "listening"; streamId: string }
  | { type: "state"; state: ConnectionState }
  | ({ type: "change" } & NumberedChange)
  /** Changes were missed: every row may be stale. */
  | { type: "reset" }
  /** Stands for what the person may use now: as `access` of the user, with which the tab compares it. */
  | { type: "access"; access: string }
  | { type: "run-events"; runId: string; events: NumberedRunEvent[] }
  /** The run's log was deleted: the row of its reply has the result. */
  | { type: "run-reset"; runId: string }
  | { type: "headers-request"; requestId: number; refused: boolean }
  | { type: "person-changed" }
  | { type: "alive" };

/**
 * A run that a tab shows, with the last number that it has. `isStarting`: the tab is starting it with the stream's id, so
 * the stream gets its events without another request.
 */
export type WatchedRun = { runId: string; after: number; isStarting?: boolean };

/** A tab's connection to the hub: a shared worker's port, a channel to another tab, or a direct call. */
export type HubLink = {
  post: (message: ToHub) => void;
  close: () => void;
};
