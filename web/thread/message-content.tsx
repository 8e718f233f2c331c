import { type ComponentType, memo } from "react";
import { type PartState, useAuiState } from "@assistant-ui/react";
import type { Json } from "#contract/json.ts";
import { isPartKind, type PartKind } from "#contract/parts/kinds.ts";
import { useLatestReply } from "#web/data/answers/latest-reply.ts";
import { useMessageFacts } from "#web/data/threads/message-facts-context.ts";
import type { ToolRequest } from "#web/parts/tool-call/tool-requests.tsx";
import { partViews } from "#web/parts/part-views.ts";
import type { PartProps } from "#web/parts/part-view.ts";
import { LazyNestedMessages } from "./nested-messages/lazy-nested-messages.tsx";
import styles from "./message.module.css";

/** The parts of the current message, or only those of some types, each in the view of its kind. */
export const MessageParts = memo(function MessageParts({
  role,
  only,
  className,
}: {
  role: "user" | "assistant";
  only?: (type: string) => boolean;
  className?: string | undefined;
}) {
  const parts = useAuiState((s) => s.message.parts);
  const isMessageRunning = useAuiState((s) => s.message.status?.type === "running");
  const reply = useMessageFacts(useAuiState((s) => s.message.id));
  const runId = isMessageRunning ? reply?.runId : undefined;
  // A new part is shown a frame before the message has it.
  const latestCount = useLatestReply(runId, (latest) => latest.parts.length) ?? 0;
  const newParts: undefined[] = Array.from({ length: Math.max(0, latestCount - parts.length) });
  return (
    <div data-parts className={className ?? styles["parts"]}>
      {[...parts, ...newParts].map(
        (part, i) =>
          (part === undefined || only?.(part.type) !== false) && (
            <Part
              key={i}
              part={part}
              index={i}
              runId={runId}
              role={role}
              isMessageRunning={isMessageRunning}
              isWaiting={reply?.pendingCalls !== undefined}
              toolRequest={
                part?.type === "tool-call"
                  ? reply?.pendingCalls?.find(({ toolCallId }) => toolCallId === part.toolCallId)
                  : undefined
              }
            />
          ),
      )}
    </div>
  );
});

const Part = memo(function Part({
  part,
  index,
  runId,
  role,
  isMessageRunning,
  isWaiting,
  toolRequest,
}: {
  part: PartState | undefined;
  index: number;
  /** The run that is writing the part: its newer text is shown. */
  runId: string | undefined;
  role: "user" | "assistant";
  isMessageRunning: boolean;
  isWaiting: boolean;
  toolRequest: ToolRequest | undefined;
}) {
  const latest = useLatestReply(runId, ({ parts }) => parts[index]) ?? part;
  if (latest === undefined || !isPartKind(latest.type)) return null;
  // The list pairs each kind with its own props; TypeScript cannot follow the pair through the lookup.
  const View = partViews[latest.type].View as ComponentType<PartProps<PartKind>>;
  const isRunning =
    isMessageRunning &&
    (part === undefined ||
      part.status.type === "running" ||
      (part.type === "tool-call" && part.result === undefined));
  return (
    <View
      part={latest as unknown as PartProps<PartKind>["part"]}
      isRunning={isRunning}
      role={role}
      isWaiting={isWaiting}
      toolRequest={toolRequest}
      nested={
        latest.type === "tool-call" && "nestedMessages" in latest && latest.nestedMessages !== undefined ? (
          <LazyNestedMessages messages={latest.nestedMessages as Json} />
        ) : undefined
      }
    />
  );
});
