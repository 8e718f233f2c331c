import { type ReactNode, useMemo } from "react";
import { useNavigate } from "@tanstack/react-router";
import { useAui } from "@assistant-ui/react";
import { useServices } from "#web/data/provider.tsx";
import { useMessageFacts } from "#web/data/threads/message-facts-context.ts";
import { ArtifactOpenerContext, type ArtifactOpener } from "#web/markdown/code/artifact-opener-context.ts";
import { LazyInlineDiagram } from "#web/panel/program/lazy-inline-diagram.tsx";
import { lazyWrittenArtifact } from "#web/parts/tool-call/lazy-written-artifact.ts";
import { useOpenThread } from "#web/runtime/open-thread.ts";

/** Lets the code blocks of an answer open in the panel, and draws its diagrams. */
export function ArtifactOpenerProvider({ messageId, children }: { messageId: string; children: ReactNode }) {
  const aui = useAui();
  const navigate = useNavigate();
  const { threadId } = useOpenThread();
  const { replies } = useServices();
  const runId = useMessageFacts(messageId)?.runId;
  const written = lazyWrittenArtifact.use();
  const opener = useMemo(
    (): ArtifactOpener => ({
      answer() {
        const live = replies.visible.get().get(runId ?? "");
        const parts = live?.reply.parts ?? aui.message.getState().parts;
        const texts =
          typeof written === "object"
            ? written.textsOf(parts, { isRunning: live !== undefined })
            : parts.flatMap((part) => (part.type === "text" ? part.text : []));
        return { messageId, texts };
      },
      Diagram: LazyInlineDiagram,
      open: ({ key, id }) =>
        void navigate({ to: "/t/$threadId", params: { threadId }, search: { panel: key, v: id } }),
    }),
    [aui, navigate, threadId, replies, runId, messageId, written],
  );
  return <ArtifactOpenerContext value={opener}>{children}</ArtifactOpenerContext>;
}
