import { useContext, useMemo } from "react";
import { useAuiState } from "@assistant-ui/react";
import { useLatestReply, VisibleFactsContext } from "#web/data/threads/reply.ts";
import { type Artifact, artifactsOf } from "#web/markdown/artifacts/artifacts.ts";

/** The artifacts of the loaded part of the visible branch, with the newest text of an answer that is being written. */
export function useArtifacts(): Artifact[] {
  const messages = useAuiState((s) => s.thread.messages);
  const facts = useContext(VisibleFactsContext);
  const last = messages.at(-1);
  const runId =
    last?.role === "assistant" && last.status?.type === "running"
      ? facts.get().get(last.id)?.runId
      : undefined;
  const latest = useLatestReply(runId, ({ parts }) => parts);
  return useMemo(
    () =>
      artifactsOf(
        messages
          .filter(({ role }) => role === "assistant")
          .map((message) => ({
            messageId: message.id,
            texts: textsOf(message === last && latest !== undefined ? latest : message.parts),
          })),
      ),
    [messages, last, latest],
  );
}

function textsOf(parts: readonly { type: string }[]): string[] {
  return parts.flatMap((part) =>
    part.type === "text" && "text" in part && typeof part.text === "string" ? part.text : [],
  );
}
