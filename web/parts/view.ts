import type { ComponentType } from "react";
import type { Asked } from "./asks.tsx";
import type { PartKind, PartOf } from "#contract/parts/kinds.ts";

/** What a part's view is given: the part, and whether it may still change. */
export type PartProps<K extends PartKind> = {
  part: PartOf<K>;
  isRunning: boolean;
  /** A tool call that waits for the person, and what for. */
  asked?: Asked | undefined;
  /** Whose part it is: a person's words are shown as typed, an answer's as a page. */
  role: "user" | "assistant";
};

export type PartView<K extends PartKind> = ComponentType<PartProps<K>>;
