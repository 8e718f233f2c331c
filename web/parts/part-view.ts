import type { ComponentType, ReactNode } from "react";
import type { PartKind, PartOf } from "#contract/parts/kinds.ts";
import type { ToolRequest } from "./tool-call/tool-requests.tsx";

export type PartProps<K extends PartKind> = {
  part: PartOf<K>;
  /** Whether the part may still change. */
  isRunning: boolean;
  /** The request of a tool call that waits for the person. */
  toolRequest?: ToolRequest | undefined;
  /** Whether the run waits for the person, so that a tool call without a result may still get one. */
  isWaiting?: boolean | undefined;
  /** The messages within a tool call. */
  nested?: ReactNode;
  /** The role of the message. A person's text is shown as typed, an answer's as Markdown. */
  role: "user" | "assistant";
};

/** How the web app shows the parts of one kind. */
export type PartView<K extends PartKind> = {
  View: ComponentType<PartProps<K>>;
  /** Where the part is in a person's message: above the text, within it, or nowhere. */
  inUserMessage: "above" | "within" | "nowhere";
};
