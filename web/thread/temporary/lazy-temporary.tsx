import { useEffect } from "react";
import { useSearch } from "@tanstack/react-router";
import type { Thread } from "#contract/endpoints/threads.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";

const temporaryModule = createLazyModule(
  () => import("./temporary.tsx"),
  (module) => module,
  "thread",
);

/** Loads the module, and goes on with what the tab or another one left before. */
export async function resumeTemporary(): Promise<void> {
  if (await temporaryModule.load()) (await import("./temporary.tsx")).resume();
}

/**
 * `Watch` reports that the page shows a temporary chat, and erases it when the person leaves. `Title` is in the bar above
 * it, `Note` in a new one.
 */
export function LazyTemporary({
  part,
  thread,
}: {
  part: "Watch" | "Title" | "Note";
  thread?: Thread | undefined;
}) {
  const { temporary } = useSearch({ strict: false });
  const isNeeded = temporary === "true" || (thread !== undefined && thread.temporary_until !== null);
  const loaded = temporaryModule.use();
  useEffect(() => {
    if (isNeeded) void temporaryModule.load();
  }, [isNeeded]);
  if (loaded === undefined || loaded === "failed") return null;
  const Part = loaded[part];
  return <Part thread={thread} />;
}
