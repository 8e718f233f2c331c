import { type ReactNode, useMemo } from "react";
import { useNavigate } from "@tanstack/react-router";
import type { PartOf } from "#contract/parts/kinds.ts";
import { type SourceMarks, SourceMarksContext } from "#web/markdown/source-marks-context.ts";
import { sourceKey } from "#web/panel/panel-search.ts";
import { nameOfSource } from "#web/parts/source.tsx";
import { useOpenThread } from "#web/runtime/open-thread.ts";

/** Lets the marks and the list of an answer's sources open them in the panel. */
export function SourceMarksProvider({
  messageId,
  sources,
  children,
}: {
  messageId: string;
  sources: readonly PartOf<"source">[];
  children: ReactNode;
}) {
  const navigate = useNavigate();
  const { threadId } = useOpenThread();
  const marks = useMemo(
    (): SourceMarks => ({
      sources: sources.map((source) => ({
        url: source.sourceType === "url" ? source.url : undefined,
        title: nameOfSource(source),
      })),
      open: (number) =>
        void navigate({
          to: "/t/$threadId",
          params: { threadId },
          search: { panel: sourceKey(number), v: messageId },
        }),
    }),
    [sources, navigate, threadId, messageId],
  );
  return <SourceMarksContext value={marks}>{children}</SourceMarksContext>;
}
