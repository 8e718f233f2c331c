import type { Summary } from "#contract/endpoints/summaries.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { MissingPiece, useLoaded } from "#web/ui/load-failure.tsx";

export const openedSummary = createLazyModule(
  () => import("./opened-summary.tsx"),
  (module) => module.OpenedSummary,
  "thread",
);

export function LazyOpenedSummary({ summary }: { summary: Summary }) {
  const OpenedSummary = useLoaded(openedSummary);
  if (openedSummary.use() === "failed") return <MissingPiece module={openedSummary} />;
  return OpenedSummary && <OpenedSummary summary={summary} />;
}
