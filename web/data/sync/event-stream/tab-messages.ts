import type { NumberedChange } from "#contract/changes.ts";
import type { NumberedRunEvent } from "#contract/run-events.ts";
import type { LineState } from "./event-stream.ts";

/** What the tabs of a browser and the hub that holds their one line say to each other. */

export type ToHub =
  /** The first word of a tab. `lock`: a lock that the tab holds as long as it lives, where the browser has locks. */
  | { type: "join"; lock: string | undefined }
  /** The runs that this tab shows, each from the last number it has. */
  | { type: "watch"; runs: { runId: string; after: number }[] }
  /** The answer to `headers-wanted`; `null` where the tab could not get any. */
  | { type: "headers"; request: number; headers: Record<string, string> | null }
  | { type: "nudge" }
  /** Another person is signed in. */
  | { type: "person-changed" }
  | { type: "alive" }
  | { type: "leave" };

export type FromHub =
  /** From here on the tab hears every change; rows that it read before may be stale. */
  | { type: "listening" }
  | { type: "state"; state: LineState }
  | ({ type: "change" } & NumberedChange)
  /** Changes were missed: every row may be stale. */
  | { type: "reset" }
  | { type: "run-events"; runId: string; events: NumberedRunEvent[] }
  /** The run's log is no more: its reply's row tells how it ended. */
  | { type: "run-reset"; runId: string }
  | { type: "headers-wanted"; request: number; refused: boolean }
  | { type: "person-changed" }
  | { type: "alive" };

/** A tab's way to its hub, wherever that is. */
export type HubLink = {
  post: (message: ToHub) => void;
  close: () => void;
};
